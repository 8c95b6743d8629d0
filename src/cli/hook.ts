import type { Cli } from "./cli.ts";
import { AccountError } from "../accounts/context.ts";
import { knownBaseUrl, listeningAddressOf } from "../addresses.ts";
import { systemClock } from "../clock.ts";
import type { Config } from "../config.ts";
import { readHookAction, readHookAddress } from "../hooks/address.ts";
import { ownAddresses } from "../hooks/feature.ts";
import { testEvent } from "../hooks/message.ts";
import { createSender } from "../hooks/sender.ts";
import { type DamagedHook, type Hook, HOOK_EVENTS, type HookEvent } from "../music/hooks.ts";
import { mayBePublic } from "../upstream/public-hosts.ts";
import { type Command, readId, table, UsageError } from "./command.ts";
import { forUser, type Workspace } from "./workspace.ts";
import { NETWORK } from "../upstream/index.ts";

/** Declares `marquee hook …`. */
export function declareHook({ group, runs }: Cli): void {
  const hook = group("hook", "send a user's songs to other programs");
  runs(
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
  runs(hook("list", "list a user's hooks").argument("<user>"), (name: string) => listHooks(name));
  runs(
    hook("remove", "remove a hook").argument("<user>").argument("<id>"),
    (name: string, id: string) => removeHook(name, id),
  );
  runs(
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

/** Whoever runs a command may name any host; the server judges each address by its own settings. */
async function rulesOf(config: Config, { accounts }: Workspace, url: string) {
  const baseUrl = await knownBaseUrl(config, accounts);
  const own = ownAddresses(baseUrl, listeningAddressOf(config, config.port));
  return { playerHosts: [hostOf(url)], own };
}

const hostOf = (url: string): string =>
  URL.parse(url)
    ?.hostname.replace(/^\[|\]$/g, "")
    .toLowerCase() ?? "";

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
  return forUser(userName, async ({ config, io, workspace, accounts, user, print }) => {
    const address = readHookAddress(url, user, await rulesOf(config, workspace, url));
    const hook = await accounts.hooks.add(user, { url: address.href, events, action });
    const lines = [`Hook ${hook.id} sends ${events.join(", ")} to ${address.host}.`];
    if (hook.action === null) lines.push(`Its secret, to check signatures: ${hook.secret}`);
    print([{ ...documentOf(hook), secret: hook.secret }], lines);
    const isListed = config.playerHosts.includes(hostOf(url));
    if (!isListed && !mayBePublic(address)) {
      io.error(
        `Note: the server sends there only if it was started with --player-hosts ${hostOf(url)}.`,
      );
    }
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
  return forUser(userName, async ({ config, workspace, accounts, user, print }) => {
    const hook = (await accounts.hooks.allOf(user.id)).find((one) => one.id === id);
    if (!hook) throw unknown(userName, id);
    if (hook.off === "damaged") {
      throw new AccountError(
        `The address of hook ${id} cannot be read. Remove the hook and add it again: "marquee hook remove ${userName} ${id}".`,
      );
    }
    const send = createSender({
      clock: systemClock,
      rules: await rulesOf(config, workspace, hook.url),
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
    // It works again.
    await accounts.hooks.note(id, { failures: 0, off: null });
  });
}

const unknown = (userName: string, id: number) =>
  new AccountError(`${userName} has no hook ${id}. "marquee hook list ${userName}" shows them.`);
