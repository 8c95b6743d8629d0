import { action, type Call, good } from "../actions/action.ts";
import { choice, givenIn, onOff, orKept } from "../actions/inputs.ts";
import { type Period, PERIODS } from "./history.ts";

export const PERIOD_NAMES = Object.keys(PERIODS) as readonly Period[];

/** A server deletes in parts, and a command that works without one to the end. */
const deleteAll = async ({ accounts, running }: Call) =>
  running ? undefined : accounts.history.forgetOld();

export const keepHistory = action({
  name: "history keep",
  help: "keep the songs that a user plays; a shorter time deletes older ones, and off deletes all",
  who: "self",
  inputs: {
    time: {
      ...choice(["off", ...PERIOD_NAMES]),
      placeholder: ["off", ...PERIOD_NAMES].join("|"),
    },
    streams: orKept({
      ...onOff,
      help: "whether overlays may report when OBS streams; without it, as before",
    }),
  },
  command: { examples: ["marquee history keep ada month --streams on"] },
  async run(call, { time, ...options }) {
    const { accounts, user } = call;
    const keeps = time === "off" ? null : time;
    const before = accounts.history.of(user.id);
    const { streams: followsStreams = before.followsStreams } = givenIn(options);
    await accounts.history.change(user, { keeps, followsStreams });
    await deleteAll(call);
    return { username: user.name, kept_for: keeps, overlays_tell_of_streams: followsStreams };
  },
  documents: (kept) => [kept],
  notice: ({ history: t }, { kept_for }) => good(kept_for === null ? t.savedOff : t.saved),
});

export const clearHistory = action({
  name: "history clear",
  help: "delete all songs that are kept of a user",
  who: "self",
  inputs: {},
  async run(call) {
    await call.accounts.history.clear(call.user);
    await deleteAll(call);
    return { username: call.user.name, cleared: true };
  },
  documents: (cleared) => [cleared],
  notice: ({ history: t }) => good(t.cleared),
});
