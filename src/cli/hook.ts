import type { Cli, Syntax } from "./cli.ts";
import { AccountError } from "../accounts/context.ts";
import type { User } from "../accounts/users.ts";
import { systemClock } from "../clock.ts";
import {
  type HookAddressRules,
  readHookAction,
  readHookAddress,
  UnlistedHostError,
} from "../hooks/address.ts";
import { ownAddresses } from "../hooks/feature.ts";
import { testEvent } from "../hooks/message.ts";
import { createSender } from "../hooks/sender.ts";
import { type DamagedHook, type Hook, HOOK_EVENTS, type HookEvent } from "../music/hooks.ts";
import { mayBePublic } from "../upstream/public-hosts.ts";
import { type Command, type Execution, forUser, readId, table, UsageError } from "./command.ts";
import { NETWORK } from "../upstream/index.ts";

/** Declares `marquee hook …`. */
export function declareHook<Target extends Syntax>({
  group,
  carriesOut,
  shows,
}: Cli<Target>): void {
  const hook = group("hook", "send a user's songs to other programs");
  carriesOut(
    hook("add", "send songs to an address, as Standard Webhooks or to Streamer.bot", [
      "marquee hook add ada https://example.org/songs",
      "marquee hook add ada https://example.org/songs --events song.started,song.ended",
      "marquee hook add ada http://127.0.0.1:7474/DoAction --action 'New song'",
    ])
      .argument("<user>")
      .argument("<url>")
      .option("--events <events>", `of ${HOOK_EVENTS.join(", ")}`, HOOK_EVENTS.join(","))
      .option("--action <name>", "send what Streamer.bot takes: the action with this name"),
    (name: string, url: string, options: { events: string; action?: string }) =>
      addHook(name, url, readEvents(options.events), options.action),
  );
  shows(hook("list", "list a user's hooks").argument("<user>"), (name: string) => listHooks(name));
  carriesOut(
    hook("remove", "remove a hook").argument("<user>").argument("<id>"),
    (name: string, id: string) => removeHook(name, id),
  );
  carriesOut(
    hook("test", "send a test to a hook, and print what it answers")
      .argument("<user>")
      .argument("<id>"),
    (name: string, id: string) => testHook(name, id),
  );
}

/** @throws {UsageError} naming what is unknown */
function readEvents(text: string): readonly HookEvent[] {
  const names = new Set(text.split(",").map((name) => name.trim()));
  return [...names].map((name) => {
    const event = HOOK_EVENTS.find((one) => one === name);
    if (event) return event;
    throw new UsageError(
      `There is no event ${JSON.stringify(name)}. There are: ${HOOK_EVENTS.join(", ")}.`,
    );
  });
}

const rulesOf = ({ config, baseUrl, listeningAddress }: Execution): HookAddressRules => ({
  playerHosts: config.playerHosts,
  own: ownAddresses(baseUrl, listeningAddress),
});

/** Why the server does not send to an address until its owner lists the host, if that is so. */
function unlistedIn(
  url: string,
  user: User,
  rules: HookAddressRules,
): UnlistedHostError | undefined {
  try {
    readHookAddress(url, user, rules);
    return undefined;
  } catch (error) {
    if (error instanceof UnlistedHostError) return error;
    throw error;
  }
}

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

function addHook(
  userName: string,
  url: string,
  events: readonly HookEvent[],
  typedAction?: string,
): Command {
  const action = typedAction === undefined ? null : readHookAction(typedAction);
  return forUser(userName, async (execution) => {
    const { accounts, user, print, note } = execution;
    const rules = rulesOf(execution);
    const unlisted = unlistedIn(url, user, rules);
    // Whoever runs a command may name any host. The server judges the address at each call.
    const playerHosts = unlisted ? [unlisted.host] : rules.playerHosts;
    const address = readHookAddress(url, user, { ...rules, playerHosts });
    const hook = await accounts.hooks.add(user, { url: address.href, events, action });
    const lines = [`Hook ${hook.id} sends ${events.join(", ")} to ${address.host}.`];
    if (hook.action === null) lines.push(`Its secret, to check signatures: ${hook.secret}`);
    print([{ ...documentOf(hook), secret: hook.secret }], lines);
    if (!unlisted) return;
    const overHttps = mayBePublic(address) ? "over https, or " : "";
    note(
      `Note: the server sends there only ${overHttps}if it was started with --player-hosts ${unlisted.host}.`,
    );
  });
}

function listHooks(userName: string): Command {
  return forUser(userName, async ({ accounts, user, print }) => {
    const documents = (await accounts.hooks.allOf(user.id)).map(documentOf);
    print(
      documents,
      table([
        ["ID", "STATE", "EVENTS", "ADDRESS"],
        ...documents.map(({ id, state, events, url }) => [
          String(id),
          state,
          events.join(","),
          url ?? "cannot be read: remove it",
        ]),
      ]),
    );
  });
}

function removeHook(userName: string, typedId: string): Command {
  const id = readId("hook", typedId, userName);
  return forUser(userName, async ({ accounts, user, print }) => {
    await accounts.hooks.remove(user, id);
    print([{ id }], [`Hook ${id} was removed.`]);
  });
}

function testHook(userName: string, typedId: string): Command {
  const id = readId("hook", typedId, userName);
  return forUser(userName, async (execution) => {
    const { accounts, user, print } = execution;
    const hook = (await accounts.hooks.allOf(user.id)).find((one) => one.id === id);
    if (!hook) throw unknown(userName, id);
    if (hook.off === "damaged") {
      throw new AccountError(
        `The address of hook ${id} cannot be read. Remove the hook and add it again: "marquee hook remove ${userName} ${id}".`,
      );
    }
    const rules = rulesOf(execution);
    const unlisted = unlistedIn(hook.url, user, rules);
    if (unlisted) throw new AccountError(unlisted.message);
    const send = createSender({
      clock: systemClock,
      rules,
      artworkUrl: () => "",
      network: NETWORK,
    });
    const status = await send(hook, testEvent(systemClock.wallMs())).catch((error: unknown) => {
      throw new AccountError(
        `It could not be sent: ${error instanceof Error ? error.message : "?"}.`,
      );
    });
    print([{ id, status }], [`It answered ${status}.`]);
    if (status >= 300) throw new AccountError("It has to answer with a status of 2xx.");
    if (hook.off !== null) await accounts.hooks.note(id, { failures: 0, off: null });
  });
}

const unknown = (userName: string, id: number) =>
  new AccountError(`${userName} has no hook ${id}. "marquee hook list ${userName}" shows them.`);
