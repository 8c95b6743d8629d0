import { action, good } from "../actions/action.ts";
import { name } from "../actions/inputs.ts";
import { apiAddress } from "../addresses.ts";
import { isoTime } from "../clock.ts";
import { fill, formatTime, type Words } from "../i18n/index.ts";
import type { ApiKey } from "./credential.ts";
import type { IssuedKey, KeyRecord } from "./keys.ts";

const documentsOf = ({ id, key }: IssuedKey) => [{ id, api_key: key }];

/** The command that gets the current track, for a terminal. */
export const curlLine = (baseUrl: string, key: string): string =>
  `curl -H 'X-Api-Key: ${key}' ${apiAddress(baseUrl, "now-playing")}`;

/** The command that follows the music, for a terminal. */
export const streamLine = (baseUrl: string, key: string): string =>
  `curl -N -H 'X-Api-Key: ${key}' ${apiAddress(baseUrl, "now-playing/events")}`;

const shownOnce = ({ dashboard: { keys: t } }: Words, baseUrl: string, key: ApiKey) => [
  { label: t.newKey, value: key },
  { label: t.tryIt, value: curlLine(baseUrl, key) },
];

/** A key's id, as lists show it. */
const keyId = { placeholder: "key-id", allowed: "a key's ID", parse: (text: string) => text };

export const addKey = action({
  name: "key add",
  help: "add a key",
  who: "self",
  inputs: { name: { ...name, help: "what the key is for", fallback: "key" } },
  command: { examples: ["marquee key add ada --name 'chat bot'"] },
  run: async ({ accounts, user, baseUrl }, { name }) => ({
    ...(await accounts.keys.add(user, name)),
    name,
    baseUrl,
  }),
  documents: (issued) => documentsOf(issued),
  notice: (words, { name, key, baseUrl }) =>
    good(fill(words.dashboard.keys.added, { name }), {
      shownOnce: shownOnce(words, baseUrl, key),
    }),
});

export const listKeys = action({
  name: "key list",
  help: "list a user's keys",
  who: "self",
  inputs: {},
  run: ({ accounts, clock, user }) =>
    accounts.keys.list(user).map((key) => ({
      id: key.id,
      name: key.name,
      status: statusOf(key, clock.wallMs()),
      created_at: isoTime(key.createdAt),
      last_used_at: isoTime(key.lastUsedAt),
      revoked_at: isoTime(key.revokedAt),
    })),
  documents: (keys) => keys,
  table: (keys) => [
    ["ID", "NAME", "STATUS", "CREATED", "LAST USED"],
    ...keys.map(({ id, name, status, created_at, last_used_at }) => [
      id,
      name,
      status,
      created_at ?? "",
      last_used_at ?? "never",
    ]),
  ],
});

export const revokeKey = action({
  name: "key revoke",
  help: "revoke a key; it stops working right away",
  who: "self",
  inputs: { id: keyId },
  async run({ accounts: { keys }, user }, { id }) {
    await keys.revoke(user, id);
    return keys.list(user).find((key) => key.id === id);
  },
  documents: (key) => [{ id: key?.id, revoked: true }],
  notice: ({ dashboard }, key) => good(fill(dashboard.keys.revoked, { name: key?.name ?? "" })),
});

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
const LONGEST_GRACE_MS = 24 * 3_600_000;

/** A duration from `0s` to `24h`, in milliseconds. */
function readGrace(text: string): number | undefined {
  const [, amount, unit = ""] = /^(\d{1,5})([smh])$/.exec(text) ?? [];
  const graceMs = Number(amount) * (UNIT_MS[unit] ?? Number.NaN);
  return graceMs >= 0 && graceMs <= LONGEST_GRACE_MS ? graceMs : undefined;
}

export const rotateKey = action({
  name: "key rotate",
  help: "replace a key",
  who: "self",
  inputs: {
    id: {
      ...keyId,
      as: "argument",
      help: "needed when the user has several keys",
      fallback: null,
    },
    grace: {
      help: "how long the old key keeps working: 0s to 24h",
      placeholder: "time",
      fallback: 0,
      allowed: "a time from 0s to 24h, such as 30m or 1h",
      parse: readGrace,
    },
  },
  command: { examples: ["marquee key rotate ada --grace 1h"] },
  run: async ({ accounts, clock, user, baseUrl }, { id, grace }) => {
    const replacing = await accounts.keys.rotate(user, id ?? undefined, grace);
    return { ...replacing, baseUrl, stillWorks: replacing.endsAt > clock.wallMs() };
  },
  documents: (issued) => documentsOf(issued),
  notice: (words, { name, key, endsAt, stillWorks, baseUrl }, language) => {
    const { keys: t } = words.dashboard;
    const text = stillWorks
      ? fill(t.replacedUntil, { name, time: formatTime(language, endsAt) })
      : fill(t.replaced, { name });
    return good(text, { shownOnce: shownOnce(words, baseUrl, key) });
  },
});

function statusOf({ revokedAt }: KeyRecord, nowMs: number): "works" | "ends" | "revoked" {
  if (revokedAt === null) return "works";
  return revokedAt > nowMs ? "ends" : "revoked";
}
