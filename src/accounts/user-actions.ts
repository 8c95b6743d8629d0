import { action, type OwnersCall, good } from "../actions/action.ts";
import { choice, id } from "../actions/inputs.ts";
import { widgetAddress } from "../addresses.ts";
import { isoTime } from "../clock.ts";
import { fill, languages } from "../i18n/index.ts";
import { Refused } from "../i18n/refused.ts";
import { LANGUAGES } from "../languages.ts";
import { statusAt, type StoredStatus } from "../music/connection-status.ts";
import { consentWarning } from "../music/consent.ts";
import { nextTurn } from "../next-turn.ts";
import { musicOf, statusWord } from "../sources/connected-music.ts";
import { statusLine } from "../sources/status-line.ts";
import { USER_NAME_RULE } from "../user-name.ts";
import { signInUrl } from "./magic-links.ts";

/** The name of somebody who is there. */
const user = { allowed: "a user's name", parse: (text: string) => text };

/** A connection to a source with its default options. */
function defaultConnection({ sources }: OwnersCall, id: string) {
  try {
    const source = sources.byId(id);
    if (source) return { source: id, settings: source.open({}).settings };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  throw new Refused("user.source", { source: id }, { field: "source", isMisuse: true });
}

export const addUsers = action({
  name: "user add",
  help: "add users, all or none, and print their credentials once",
  who: "owner",
  inputs: {
    names: {
      help: "user names: a-z, 0-9, _ and -",
      several: true,
      allowed: USER_NAME_RULE,
      parse: (text) => text,
    },
    source: {
      help: "connect them to a source that needs no settings, such as demo",
      fallback: null,
      allowed: "a source that needs no settings",
      parse: (text) => text,
    },
  },
  command: {
    createsFolder: true,
    examples: ["marquee user add ada", "marquee user add ada grace --source demo"],
  },
  async run(call, { names, source }) {
    const { accounts, baseUrl, language, store } = call;
    const connection = source === null ? undefined : defaultConnection(call, source);
    const added = await accounts.add(names, connection);
    // The links of many are stored at once, which the disk has to confirm only once.
    return store.transaction(() =>
      added.map(({ user, key, widgetToken }) => ({
        username: user.name,
        key,
        widgetToken,
        widgetUrl: widgetAddress(baseUrl, language, widgetToken),
        signInUrl: signInUrl(accounts, baseUrl, user),
      })),
    );
  },
  documents: (added) =>
    added.map(({ username, key, widgetToken, widgetUrl }) => ({
      username,
      api_key: key,
      widget_token: widgetToken,
      widget_url: widgetUrl,
    })),
  notice: ({ dashboard: { server: t } }, added) =>
    good(fill(t.added, { user: added.map(({ username }) => username).join(", ") }), {
      shownOnce: added.flatMap(({ key, widgetUrl, signInUrl }) => [
        { label: t.signInLink, value: signInUrl },
        { label: t.apiKey, value: key },
        { label: t.widgetUrl, value: widgetUrl },
      ]),
    }),
  lines: (added) =>
    added.flatMap(({ username, key, widgetUrl, signInUrl }) => [
      username,
      `  API key       ${key}   (shown only once: keep it)`,
      `  Widget        ${widgetUrl}`,
      `  Sign-in link  ${signInUrl}   (works once, within half an hour)`,
    ]),
});

export const listUsers = action({
  name: "user list",
  help: "list all users",
  who: "owner",
  inputs: {},
  async run({ accounts, sources, clock }) {
    const users = [];
    for (const user of accounts.users.list()) {
      users.push({ user, music: musicOf(user.id, accounts, sources), nowMs: clock.wallMs() });
      // Others are answered in between.
      await nextTurn();
    }
    return users;
  },
  documents: (users) =>
    users.map(({ user, music }) => ({
      username: user.name,
      role: user.role,
      // What follows is of the first connection in the user's order, then all are listed.
      source: music[0]?.source.id ?? null,
      needs_connecting_again: music[0]?.status.state === "needsLinking",
      health: music[0] ? statusDocument(music[0].status) : null,
      linked_until: isoTime(music[0]?.status.linkedUntil ?? null),
      connections: music.map(({ connection, source, status }) => ({
        id: connection.publicId,
        source: source.id,
        name: connection.name,
        health: statusDocument(status),
        linked_until: isoTime(status.linkedUntil),
      })),
      created_at: isoTime(user.createdAt),
    })),
  table: (users) => [
    ["USER", "ROLE", "MUSIC", "HEALTH", "LINKED UNTIL"],
    ...users.flatMap(({ user, music, nowMs }) =>
      music.length === 0
        ? [[user.name, user.role, "nothing connected", "", ""]]
        : music.map(({ connection, source, status }, index) => [
            index === 0 ? user.name : "",
            index === 0 ? user.role : "",
            [source.id, connection.name].filter((part) => part !== "").join(" · "),
            statusLine(statusAt(status, nowMs), source),
            describeConsent(status.linkedUntil, nowMs),
          ]),
    ),
  ],
});

function statusDocument(status: StoredStatus) {
  return {
    state: statusWord(status),
    since: isoTime("since" in status ? status.since : null),
    until: isoTime("until" in status ? status.until : null),
    reason: "reason" in status ? status.reason : null,
  };
}

function describeConsent(linkedUntil: number | null, nowMs: number): string {
  if (linkedUntil === null) return "";
  const day = new Date(linkedUntil).toISOString().slice(0, 10);
  return consentWarning(linkedUntil, nowMs) === "none" ? day : `${day}: link again soon`;
}

export const removeUser = action({
  name: "user remove",
  help: "remove a user with all their keys, widgets and connections",
  who: "owner",
  inputs: {
    user,
    id: { ...id, as: "hidden", fallback: null, allowed: "the ID of the user with this name" },
  },
  async run({ accounts: { users }, actor }, { user: name, id }) {
    const { id: found } = users.named(name);
    // Somebody else of this name may have come since the page was shown.
    if (id !== null && id !== found) throw new Refused("user.unknown", { user: name });
    if (actor !== "operator" && actor.id === found) throw new Refused("user.self");
    await users.remove(name);
    return { username: name };
  },
  documents: ({ username }) => [{ username, removed: true }],
  notice: ({ dashboard }, { username }) => good(fill(dashboard.server.removed, { user: username })),
});

export const makeSignInLink = action({
  name: "login",
  help: "print a link that signs a browser in to the dashboard",
  who: "owner",
  inputs: { user },
  command: { examples: ["marquee login ada"] },
  run({ accounts, baseUrl }, { user: name }) {
    const { users } = accounts;
    return { username: name, url: signInUrl(accounts, baseUrl, users.named(name)) };
  },
  documents: ({ url }) => [{ url }],
  notice: ({ dashboard: { server: t } }, { username, url }) =>
    good(fill(t.linkMade, { user: username }), {
      shownOnce: [{ label: t.signInLink, value: url }],
    }),
});

export const chooseLanguage = action({
  name: "account language",
  help: "choose the language of a user's pages",
  who: "self",
  inputs: { language: choice(LANGUAGES) },
  command: { examples: ["marquee account language ada fr"] },
  async run({ accounts, user }, { language }) {
    await accounts.users.setLanguage(user, language);
    return { username: user.name, language };
  },
  documents: (chosen) => [chosen],
  notice: (_, { language }) =>
    good(languages[language].dashboard.account.languageSaved, { language }),
  lines: ({ username, language }) => [
    `The pages of ${username} are in ${languages[language].endonym} from now on.`,
  ],
});

export const deleteAccount = action({
  name: "account delete",
  help: "delete a user's own account with everything in it",
  who: "self",
  inputs: {
    confirm: {
      as: "option",
      help: "the user's name again",
      placeholder: "name",
      allowed: "the user's name",
      parse: (text) => text,
    },
  },
  command: { examples: ["marquee account delete ada --confirm ada"] },
  async run({ accounts, user: { name } }, { confirm }) {
    if (confirm !== name) {
      throw new Refused("user.confirm", { user: name }, { field: "confirm", isMisuse: true });
    }
    await accounts.users.remove(name);
    return { username: name };
  },
  documents: ({ username }) => [{ username, removed: true }],
  notice: ({ dashboard }, { username }) => good(fill(dashboard.server.removed, { user: username })),
});

export const endFirstSteps = action({
  name: "user welcome",
  help: "end the first steps that the dashboard shows to a new user",
  who: "self",
  inputs: {},
  async run({ accounts, user }) {
    await accounts.users.welcome(user);
    return { username: user.name, welcomed: true };
  },
  documents: (welcomed) => [welcomed],
  notice: ({ dashboard }) => good(dashboard.home.over),
  lines: ({ username }) => [`The dashboard shows ${username} no first steps any more.`],
});
