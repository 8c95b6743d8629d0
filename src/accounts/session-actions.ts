import { action, good } from "../actions/action.ts";
import { isoTime } from "../clock.ts";
import { Refused } from "../i18n/refused.ts";

export const listSessions = action({
  name: "session list",
  help: "list the browsers that a user is signed in with",
  who: "self",
  inputs: {},
  run: ({ accounts, user }) => accounts.sessions.list(user),
  documents: (sessions) =>
    sessions.map(({ id, userAgent, createdAt, lastSeenAt }) => ({
      id,
      browser: userAgent,
      created_at: isoTime(createdAt),
      last_seen_at: isoTime(lastSeenAt),
    })),
  table: (sessions) => [
    ["ID", "LAST SEEN", "BROWSER"],
    ...sessions.map(({ id, lastSeenAt, userAgent }) => [
      id,
      isoTime(lastSeenAt) ?? "",
      userAgent.replace(/\p{Cc}/gu, " "),
    ]),
  ],
});

export const endSession = action({
  name: "session end",
  help: "sign one browser out",
  who: "self",
  inputs: { id: { allowed: "a session's ID", parse: (text) => text } },
  async run({ accounts, user }, { id }) {
    if (!(await accounts.sessions.close(user, id))) throw new Refused("session.unknown");
    return { id };
  },
  documents: ({ id }) => [{ id, ended: true }],
  notice: ({ dashboard }) => good(dashboard.account.signedOut),
});

export const endAllSessions = action({
  name: "logout",
  help: "sign a user out of every browser",
  who: "self",
  inputs: {},
  async run({ accounts, user }) {
    await accounts.sessions.closeAll(user);
    return { username: user.name };
  },
  documents: ({ username }) => [{ username, signed_out: true }],
  notice: ({ dashboard }) => good(dashboard.account.signedOutEverywhere),
});
