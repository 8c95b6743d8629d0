import { action, type Call, good } from "../actions/action.ts";
import { connectionId, flag, name } from "../actions/inputs.ts";
import { fill } from "../i18n/index.ts";
import { Refused } from "../i18n/refused.ts";
import { labelOf, musicOf, sourceOf, statusWord } from "../sources/connected-music.ts";
import { BROADCAST, broadcastFieldsIn } from "../sources/pushed.ts";
import { isPushed, type PushedSource } from "../sources/source.ts";
import { statusLine } from "../sources/status-line.ts";
import { nothingIfUnreadable } from "../vault/vault.ts";
import { cardId } from "./connection-row.ts";
import type { Connection } from "./connection-reads.ts";
import { statusAt } from "./connection-status.ts";

/** What can be done with connections that are there. */

/** What programs read of a connection. */
export const documentOf = ({ publicId, source, name }: Connection) => ({
  id: publicId,
  source,
  name,
});

/** What a program that pushes needs. */
interface Inbox {
  readonly secret: string;
  /** `null` where nobody may push now. */
  readonly url: string | null;
}

const inboxOf = (source: PushedSource, secret: string, baseUrl: string): Inbox => ({
  secret,
  url: source.inboxAddress(baseUrl, secret),
});

/** Of an inbox whose secret cannot be read. */
const DAMAGED = { secret: null, url: null };
export type ReadInbox = Inbox | typeof DAMAGED;

/** As `inboxOf`, for one whose secret may be damaged. */
export async function readableInboxOf(
  { accounts, baseUrl }: Pick<Call, "accounts" | "baseUrl">,
  source: PushedSource,
  connectionId: number,
): Promise<ReadInbox> {
  const secret = await accounts.connections.secretOf(connectionId).catch(nothingIfUnreadable);
  return secret === undefined ? DAMAGED : inboxOf(source, secret, baseUrl);
}

export function inboxLines({ id }: Pick<PushedSource, "id">, inbox: ReadInbox): string[] {
  if (inbox.secret === null) return [`Its secret is damaged: ${MAKE_ANEW}.`];
  return [
    ...inboxFields(id, inbox.secret, inbox.url),
    `Don't show it to anyone. "marquee connection list USER --show-secrets" shows it again.`,
  ];
}

const MAKE_ANEW = 'make a new one with "marquee connection rotate"';

function inboxFields(id: string, secret: string, url: string | null): string[] {
  if (url === null) {
    return [
      "This server takes no broadcasts yet: its --broadcast-port is 0, or was taken. The password will be:",
      `  ${secret}`,
    ];
  }
  return id === BROADCAST.id ? icecastLines(secret, url) : addressLines(secret, url);
}

const addressLines = (secret: string, url: string): string[] => [
  "Paste this address into the program that sends to Marquee:",
  `  ${url}`,
  ...(url.includes(secret) ? [] : ["and this secret, as the token or password:", `  ${secret}`]),
];

function icecastLines(secret: string, url: string): string[] {
  const { host, port, mount } = broadcastFieldsIn(url);
  return [
    "In the program, broadcast to an Icecast 2 server with these; any user name will do:",
    `  Host      ${host}`,
    `  Port      ${port}`,
    `  Mount     ${mount}`,
    `  Password  ${secret}`,
  ];
}

export const disconnect = action({
  name: "disconnect",
  help: "disconnect a user from a source",
  who: "self",
  inputs: {
    id: {
      ...connectionId,
      as: "argument",
      help: "needed when the user has several connections",
      fallback: null,
    },
    all: { ...flag, help: "disconnect all connections" },
  },
  command: { examples: ["marquee disconnect ada 3", "marquee disconnect ada --all"] },
  async run({ accounts: { connections }, user }, { id, all }) {
    if (id !== null && all) throw new Refused("connection.idOrAll", {}, { isMisuse: true });
    if (id === null && !all && connections.allOf(user.id).length > 1) {
      throw new Refused("connection.several", {}, { isMisuse: true });
    }
    const disconnected = await connections.disconnect(user, id ?? "all");
    return { username: user.name, disconnected };
  },
  documents: (result) => [result],
  notice: ({ dashboard: { music: t } }, { disconnected }) =>
    good(disconnected ? t.disconnected : t.notConnected),
});

export const listConnections = action({
  name: "connection list",
  help: "list a user's connections in order",
  who: "self",
  inputs: {
    showSecrets: {
      ...flag,
      help: "also show the address or secret for programs that send to Marquee",
    },
  },
  async run(call, { showSecrets }) {
    const { accounts, sources, clock, user } = call;
    const nowMs = clock.wallMs();
    const music = musicOf(user.id, accounts, sources);
    return Promise.all(
      music.map(async ({ connection, source, position, ...one }) => ({
        connection,
        source,
        position,
        status: statusAt(one.status, nowMs),
        inbox:
          showSecrets && isPushed(source)
            ? await readableInboxOf(call, source, connection.id)
            : undefined,
      })),
    );
  },
  documents: (all) =>
    all.map(({ connection, position, status, inbox }) => ({
      ...documentOf(connection),
      position,
      health: statusWord(status),
      ...inbox,
    })),
  table: (all) => {
    const hasSecrets = all.some(({ inbox }) => inbox !== undefined);
    return [
      ["ID", "SOURCE", "NAME", "HEALTH", ...(hasSecrets ? ["SECRET", "ADDRESS"] : [])],
      ...all.map(({ connection: { publicId, name }, source, status, inbox }) => [
        // As in the dashboard: one without a name goes by its source's.
        String(publicId),
        source.id,
        name || source.name,
        statusLine(status, source),
        ...(hasSecrets ? secretCells(inbox) : []),
      ]),
    ];
  },
});

/** Nothing where there is no secret to show. */
const secretCells = (inbox: ReadInbox | undefined): readonly string[] =>
  inbox?.secret === null
    ? ["damaged", MAKE_ANEW]
    : [inbox?.secret ?? "", inbox ? (inbox.url ?? "no port takes broadcasts") : ""];

export const orderConnections = action({
  name: "connection order",
  help: "put connections first: if several are playing, the first is shown",
  who: "self",
  inputs: {
    ids: {
      ...connectionId,
      help: "in the order you want; the others follow",
      placeholder: "ids",
      several: true,
    },
  },
  command: { examples: ["marquee connection order ada 5 3"] },
  async run(call, { ids }) {
    await call.accounts.connections.order(call.user, ids);
    return listConnections.run(call, { showSecrets: false });
  },
  documents: (all) => listConnections.documents(all),
  notice: ({ dashboard: { music: t } }) => good(t.ordered),
});

export const moveConnection = action({
  name: "connection move",
  help: "move a connection to another place in the order",
  who: "self",
  inputs: {
    id: connectionId,
    position: {
      help: "1 for the first",
      allowed: "a place: a whole number from 1 on",
      parse: (text) => (/^[1-9]\d{0,3}$/.test(text) ? Number(text) : undefined),
    },
  },
  command: { examples: ["marquee connection move ada 5 1"] },
  async run({ accounts: { connections }, sources, user }, { id, position: wanted }) {
    const all = connections.allOf(user.id);
    const connection = connections.find(user, id);
    const others = all.map(({ publicId }) => publicId).filter((other) => other !== id);
    const position = Math.min(wanted, all.length);
    await connections.order(user, others.toSpliced(position - 1, 0, id));
    return { connection, source: sourceOf(connection, sources), position };
  },
  documents: ({ connection, position }) => [{ ...documentOf(connection), position }],
  notice: (words, moved) =>
    good(
      fill(words.dashboard.music.moved, {
        source: labelOf(moved, words),
        position: String(moved.position),
      }),
      // Whoever moves it further finds it there.
      { anchor: cardId(moved.connection) },
    ),
});

export const renameConnection = action({
  name: "connection rename",
  help: "change a connection's name",
  who: "self",
  inputs: {
    id: connectionId,
    name: { ...name, as: "argument", help: "without it, the connection has none", fallback: null },
  },
  command: { examples: ["marquee connection rename ada 5 Kitchen"] },
  async run({ accounts: { connections }, user }, { id, name }) {
    await connections.rename(user, id, name ?? "");
    return connections.find(user, id);
  },
  documents: (connection) => [documentOf(connection)],
  notice: ({ dashboard: { music: t } }) => good(t.renamed),
});

export const rotateConnection = action({
  name: "connection rotate",
  help: "replace a connection's secret; the old one stops working right away",
  who: "self",
  inputs: { id: connectionId },
  async run({ accounts: { connections }, sources, baseUrl, user }, { id }) {
    const connection = connections.find(user, id);
    const source = sourceOf(connection, sources);
    if (!isPushed(source)) throw new Refused("connection.noSecret", { source: source.name });
    const secret = await connections.rotateSecret(connection.id);
    return { connection, source, inbox: inboxOf(source, secret, baseUrl) };
  },
  documents: ({ connection, inbox }) => [{ ...documentOf(connection), ...inbox }],
  notice: (words, rotated) =>
    good(fill(words.dashboard.music.inbox.rotated, { source: labelOf(rotated, words) })),
  lines: ({ source, inbox }) => ["The old secret no longer works.", ...inboxLines(source, inbox)],
});
