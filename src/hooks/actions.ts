import { hostOf } from "../ip-address.ts";
import { action, type Call, good } from "../actions/action.ts";
import { id, name } from "../actions/inputs.ts";
import { Refused } from "../i18n/refused.ts";
import { fill } from "../i18n/index.ts";
import { LONGEST_ADDRESS } from "../text-limits.ts";
import { hookAddressRules, isUnlisted, readHookAddress } from "./address.ts";
import { isTaken } from "./delivery.ts";
import { createSender } from "./sender.ts";
import { type DamagedHook, type Hook, HOOK_EVENTS, type HookEvent } from "./store.ts";
import { createTestSending, type SendTest } from "./test-sending.ts";

/** What programs read of a hook. */
const documentOf = (hook: Hook | DamagedHook) =>
  hook.off === "damaged"
    ? { id: hook.id, url: null, events: [], action: null, state: hook.off }
    : {
        id: hook.id,
        url: hook.url,
        events: hook.events,
        action: hook.action,
        state: hook.off ?? "on",
      };

/** Events by their names, separated by commas. */
function readEvents(text: string): readonly HookEvent[] | undefined {
  const names = [...new Set(text.split(",").map((event) => event.trim()))];
  const events = names.flatMap((typed) => HOOK_EVENTS.find((event) => event === typed) ?? []);
  return events.length === names.length ? events : undefined;
}

/**
 * The address of a hook as it is stored. Whoever runs commands on this machine may name any host: the
 * server judges the address at each call, and a remark says so.
 * @throws {Refused}
 */
function readAddress(call: Call, text: string): string {
  const rules = hookAddressRules(call);
  try {
    return readHookAddress(text, rules).href;
  } catch (error) {
    if (call.actor !== "operator" || !isUnlisted(error)) throw error;
    const host = hostOf(new URL(text));
    const url = readHookAddress(text, { ...rules, playerHosts: [host] });
    const overHttps = error instanceof Refused && error.reason === "hook.overHttp";
    call.remark(
      `Note: the server sends there only ${overHttps ? "over https, or " : ""}if it was started with --player-hosts ${host}.`,
    );
    return url.href;
  }
}

export const addHook = action({
  name: "hook add",
  help: "send songs to an address, as Standard Webhooks or to Streamer.bot",
  who: "self",
  inputs: {
    url: { allowed: "an address", longest: LONGEST_ADDRESS, parse: (text) => text },
    events: {
      help: `of ${HOOK_EVENTS.join(", ")}; without it, all`,
      fallback: HOOK_EVENTS,
      allowed: `of ${HOOK_EVENTS.join(", ")}`,
      refusal: "hook.events",
      refusalValues: { events: HOOK_EVENTS.join(", ") },
      parse: readEvents,
    },
    action: {
      ...name,
      help: "send what Streamer.bot takes: the action with this name",
      placeholder: "name",
      fallback: null,
    },
  },
  command: {
    examples: [
      "marquee hook add ada https://example.org/songs",
      "marquee hook add ada https://example.org/songs --events song.started,song.ended",
      "marquee hook add ada http://127.0.0.1:7474/DoAction --action 'New song'",
    ],
  },
  run: (call, { url, events, action }) =>
    call.accounts.hooks.add(call.user, { url: readAddress(call, url), events, action }),
  documents: (hook) => [{ ...documentOf(hook), secret: hook.secret }],
  notice: ({ dashboard: { hooks: t } }, { action, secret }) =>
    good(t.added, action === null && { shownOnce: [{ label: t.secret, value: secret }] }),
});

export const listHooks = action({
  name: "hook list",
  help: "list a user's hooks",
  who: "self",
  inputs: {},
  run: ({ accounts, user }) => accounts.hooks.allOf(user.id),
  documents: (hooks) => hooks.map(documentOf),
  table: (hooks) => [
    ["ID", "STATE", "EVENTS", "ADDRESS"],
    ...hooks
      .map(documentOf)
      .map(({ id, state, events, url }) => [
        String(id),
        state,
        events.join(","),
        url ?? "cannot be read: remove it",
      ]),
  ],
});

export const removeHook = action({
  name: "hook remove",
  help: "remove a hook",
  who: "self",
  inputs: { id },
  async run({ accounts, user }, { id }) {
    await accounts.hooks.remove(user, id);
    return { id };
  },
  documents: (removed) => [removed],
  notice: ({ dashboard }) => good(dashboard.hooks.removed),
});

/** The running server's, or where none runs, one of our own. */
function testOf(call: Call): SendTest {
  if (call.running) return call.running.hooks.test;
  const send = createSender({ ...call, rules: hookAddressRules(call), artworkUrl: () => "" });
  return createTestSending({ clock: call.clock, hooks: call.accounts.hooks, send });
}

export const testHook = action({
  name: "hook test",
  help: "send a test to a hook, and print what it answers",
  who: "self",
  inputs: { id },
  async run(call, { id }) {
    const { accounts, user } = call;
    const hook = accounts.hooks.find(user, id);
    if (hook.off === "damaged") throw new Refused("hook.damaged");
    readHookAddress(hook.url, hookAddressRules(call));
    const status = await testOf(call)(hook);
    if (status === "too soon") throw new Refused("hook.tooSoon");
    return { id, status };
  },
  documents: (tested) => [tested],
  notice: ({ dashboard: { hooks: t } }, { status }) => ({
    tone: isTaken(status) ? "good" : "bad",
    text: status === null ? t.testLost : fill(t.tested, { status: String(status) }),
  }),
});
