import { action, type Call, type Input, good } from "../actions/action.ts";
import { givenIn, onOff, orKept } from "../actions/inputs.ts";
import { flagOf, type SettingName } from "../config.ts";
import { matching, wholeNumber } from "../field.ts";
import type { Notice } from "../html/notices.ts";
import { Refused } from "../i18n/refused.ts";
import { fill } from "../i18n/fill.ts";
import type { Words } from "../i18n/index.ts";
import {
  ANNOUNCE_EVERY_S,
  ASKING_BADGES,
  type ChatOptions,
  LONGEST_WORDS,
  MOST_WORDS,
  QUIET_S,
  type Range,
  readChatOptions,
  wordsIn,
} from "./options.ts";
import type { ChatAccount } from "./store.ts";
import type { BegunLink, TwitchLinks } from "./twitch/links.ts";
import { ACTIVATE_URL, REGISTRATION_URL } from "./twitch/registration.ts";

/** What the commands that ask Twitch take besides the settings of all commands. */
const TWITCH_SETTINGS: readonly SettingName[] = [
  "twitchClientId",
  "twitchIdUrl",
  "twitchApiUrl",
  "twitchEventsubUrl",
];

/** What programs read of an account. */
const documentOf = ({ service, login, channel, state }: ChatAccount) => ({
  service,
  login,
  channel,
  state,
});

/** A user's linked account, by its name at Twitch. */
const login = {
  allowed: "the login of a linked account",
  parse: (text: string) => text.toLowerCase(),
} as const satisfies Input<string>;

/** The running server's, or where none runs, some of our own. */
async function linksOf(call: Call): Promise<TwitchLinks> {
  const { running, accounts } = call;
  if (running) return (await running.chat()).links;
  const [{ createTwitch }, { createTwitchLinks }] = await Promise.all([
    import("./twitch/upstream.ts"),
    import("./twitch/links.ts"),
  ]);
  return createTwitchLinks({ ...call, ...accounts, ...createTwitch(call) });
}

export const enterChatApp = action({
  name: "chat app",
  help: `enter the client ID of your application at Twitch, registered at ${REGISTRATION_URL} with the client type Public`,
  who: "owner",
  inputs: {
    clientId: {
      placeholder: "client-id",
      // As Twitch makes them.
      ...matching(/^[0-9a-z]{30}$/, "30 lower-case letters and digits"),
      longest: 64,
      refusal: "chat.clientId",
    },
  },
  async run({ accounts, config }, { clientId }) {
    if (config.twitchClientId !== null) {
      throw new Refused("connection.appFixed", { source: "Twitch" });
    }
    await accounts.upstreams.enterApp("twitch", { clientId, clientSecret: null });
    return { clientId };
  },
  documents: ({ clientId }) => [{ client_id: clientId }],
  notice: ({ dashboard }) => good(dashboard.chat.appSaved),
});

const HOW_TO_ENTER = `Register an application at ${REGISTRATION_URL}, with the client type Public, and enter its client ID with "marquee chat app" or ${flagOf("twitchClientId")}.`;

/** A link that waits for the user, or the account that was linked. */
type Linking = BegunLink | ChatAccount;

/** What is said once an account is linked. */
export const linkedNotice = ({ dashboard }: Words, { login }: ChatAccount): Notice =>
  good(fill(dashboard.chat.linkedAs, { login }));

export const linkChat = action({
  name: "chat link",
  help: "link a Twitch account and answer !song in its chat",
  who: "self",
  inputs: {
    channel: {
      help: "the channel to answer in, if it is not the account's own",
      placeholder: "name",
      fallback: null,
      allowed: "the name of a channel at Twitch",
      longest: 25,
      refusal: "chat.unknownChannel",
      parse: (text) => (/^\w+$/.test(text) ? text.toLowerCase() : undefined),
    },
  },
  command: {
    examples: ["marquee chat link ada", "marquee chat link ada --channel adas_channel"],
    settings: TWITCH_SETTINGS,
  },
  async run(call, { channel }): Promise<Linking> {
    const links = await linksOf(call);
    if (call.actor === "operator" && links.clientId() === undefined) call.remark(HOW_TO_ENTER);
    return links.begin(call.user, channel);
  },
  wait: async ({ signal }, begun) => ("wait" in begun ? begun.wait(signal, () => true) : begun),
  documents: (linking) => [
    "wait" in linking
      ? { code: linking.userCode, url: linking.link ?? ACTIVATE_URL }
      : documentOf(linking),
  ],
  notice(words, linking) {
    if (!("wait" in linking)) return linkedNotice(words, linking);
    const { chat: t } = words.dashboard;
    const { userCode, link = ACTIVATE_URL } = linking;
    return good(`${t.begun} ${fill(t.code, { code: userCode })}`, {
      shownOnce: [{ label: t.open, value: link }],
    });
  },
});

export const listChats = action({
  name: "chat list",
  help: "list a user's linked chat accounts",
  who: "self",
  inputs: {},
  run: ({ accounts, user }) => accounts.chat.allOf(user.id),
  documents: (all) => all.map(documentOf),
  table: (all) => [
    ["SERVICE", "LOGIN", "CHANNEL", "STATE"],
    ...all.map(({ service, login, channel, state }) => [service, login, channel, state]),
  ],
});

const secondsWithin = (help: string, { least, most }: Range) =>
  orKept({
    ...wholeNumber(least, most),
    type: { kind: "number", least, most, unit: "s" },
    help,
    placeholder: "seconds",
    allowed: `a whole number of seconds from ${least} to ${most}`,
    refusal: "chat.seconds",
    refusalValues: { least: String(least), most: String(most) },
  });

const switched = (help: string) => orKept({ ...onOff, help });

export const changeChatOptions = action({
  name: "chat options",
  help: "change how a linked account answers",
  who: "self",
  inputs: {
    login,
    words: orKept({
      help: `up to ${MOST_WORDS} words that ask for the song, such as '!song !np'`,
      allowed: `one to ${MOST_WORDS} words of letters and digits`,
      longest: LONGEST_WORDS,
      refusal: "chat.words",
      refusalValues: { most: String(MOST_WORDS) },
      parse: wordsIn,
    }),
    last: switched("answer !lastsong with the song before"),
    subscriber: switched("subscribers may ask; if nobody is named, everyone may"),
    vip: switched("VIPs may ask"),
    moderator: switched("moderators may ask"),
    replies: switched("reply to the person who asked"),
    quiet: secondsWithin("the time between two answers", QUIET_S),
    shows: switched("show the overlays that wait to be asked"),
    announces: switched("announce each new song while the stream is live"),
    announceEvery: secondsWithin("the time between two announcements", ANNOUNCE_EVERY_S),
  },
  command: {
    examples: ["marquee chat options ada adas_login --words '!song !np' --quiet 20"],
  },
  async run({ accounts, user }, { login, ...options }) {
    const { last, quiet, announceEvery, subscriber, vip, moderator, ...others } = options;
    const ticked = givenIn({ subscriber, vip, moderator });
    const changes = givenIn({
      ...others,
      answersLast: last,
      quietS: quiet,
      announceEveryS: announceEvery,
    });
    const changed = await accounts.chat.changeOptions(user, login, (stored): ChatOptions => {
      const before = readChatOptions(stored);
      const badges = ASKING_BADGES.filter(
        (badge) => ticked[badge] ?? before.badges.includes(badge),
      );
      return { ...before, ...changes, badges };
    });
    return { login, ...changed };
  },
  documents: ({ login, answersLast, quietS, announceEveryS, ...options }) => [
    {
      service: "twitch",
      login,
      ...options,
      answers_last: answersLast,
      quiet_s: quietS,
      announce_every_s: announceEveryS,
    },
  ],
  notice: ({ dashboard }) => good(dashboard.chat.options.saved),
});

export const sayInChat = action({
  name: "chat say",
  help: "send the song that plays to the chat of a linked account, once",
  who: "self",
  inputs: { login },
  async run({ accounts, user, running }, { login }) {
    const account = accounts.chat.named(user, login);
    if (!running) throw new Refused("chat.notRunning");
    await (await running.chat()).sayOnce(account);
    return account;
  },
  documents: (account) => [documentOf(account)],
  notice: ({ dashboard }) => good(dashboard.chat.sent),
});

export const unlinkChat = action({
  name: "chat unlink",
  help: "unlink a chat account, here and at Twitch",
  who: "self",
  inputs: { login },
  command: { settings: TWITCH_SETTINGS },
  run: async (call, { login }) => ({
    service: "twitch",
    login,
    confirmed: await (await linksOf(call)).unlink(call.user, login),
  }),
  documents: (unlinked) => [unlinked],
  notice: ({ dashboard: { chat: t } }, { login, confirmed }) =>
    confirmed
      ? good(fill(t.unlinked, { login }))
      : { tone: "bad", text: fill(t.unlinkedUnconfirmed, { login }) },
});
