import { userInfo } from "node:os";
import { resolve } from "node:path";
import type { Accounts, AddedUser } from "../accounts/accounts.ts";
import { signInUrl } from "../accounts/magic-links.ts";
import type { User } from "../accounts/users.ts";
import { apiAddress, widgetAddress } from "../addresses.ts";
import { type Config, flagOf, type ResolvedConfig } from "../config.ts";
import type { Log } from "../log.ts";
import { toUserName } from "../user-name.ts";
import { quoted, typedCommand } from "../typed-command.ts";
import { VERSION } from "../version.ts";
import type { Io } from "../control/execution.ts";
import { isOutputLogged, readOutputFacts } from "../control/logged-output.ts";

/** What a server that starts prints for the person or program that has started it. */

/** Whether the browser opens on the first start only, or on each. */
export type Greeting = "first" | "always";

/** Adds the owner on the first start, with the demo; `undefined` where there is one already. */
export async function addFirstOwner(
  accounts: Pick<Accounts, "add" | "users">,
  { owner }: Pick<Config, "owner">,
): Promise<AddedUser | undefined> {
  if (accounts.users.owner()) return undefined;
  const name = owner ?? toUserName(systemUserName());
  const [first] = await accounts.add([name], { source: "demo", settings: null });
  return first;
}

/** What is printed for a start. */
interface Start {
  readonly accounts: Accounts;
  /** The owner, on the first start. */
  readonly added: AddedUser | undefined;
  readonly settings: ResolvedConfig;
  readonly baseUrl: string;
  readonly asJson: boolean;
  readonly io: Io;
  readonly greeting: Greeting;
  readonly log: Log;
  /** Whether the output is a terminal. */
  isSeen(): boolean;
}

/**
 * Prints the server's address, a magic link where somebody sees it, and on the first start everything
 * needed to use it. Returns the magic link that the browser is to open.
 */
export function greet(start: Start): string | undefined {
  const { accounts, added, baseUrl, asJson } = start;
  const owner = accounts.users.owner();
  const isToOpen = added !== undefined || start.greeting === "always";
  const isWelcomed = owner && (isToOpen || (!asJson && start.isSeen()));
  const loginUrl = isWelcomed ? signInUrl(accounts, baseUrl, owner) : undefined;
  const text = asJson
    ? JSON.stringify({
        event: "ready",
        url: baseUrl,
        username: owner?.name ?? null,
        ...(added && credentialsOf(added, baseUrl)),
        ...(loginUrl && { login_url: loginUrl }),
      })
    : ["", ...greetingLines(start, owner?.name ?? "USER", loginUrl), ""].join("\n");
  try {
    // In one write: a reader that closes its pipe early must not stop the server.
    start.io.out(text);
  } catch {
    // The server runs on: its address is logged too, and keys are made anew by a command.
    if (added) start.log.warn(advice(start, added.user));
  }
  return isToOpen ? loginUrl : undefined;
}

function greetingLines(start: Start, ownerName: string, loginUrl: string | undefined): string[] {
  const { added, baseUrl, settings, io } = start;
  const isLogged = isOutputLogged(readOutputFacts(io.environment));
  const lines = added
    ? [
        "",
        ...signInLines(loginUrl),
        "",
        ...(isLogged ? whereSecretsAre(start, added.user) : secretsOf(added, baseUrl)),
      ]
    : [
        `  API        ${apiAddress(baseUrl, "now-playing")}`,
        `  Widget     ${laterCommand(start, `widget url ${ownerName}`)}`,
        ...(loginUrl
          ? ["", ...signInLines(loginUrl)]
          : [`  Dashboard  ${laterCommand(start, `login ${ownerName}`)}`]),
      ];
  return [
    `  Marquee ${VERSION} serves ${baseUrl}`,
    `  Data       ${resolve(settings.config.data)}`,
    ...lines,
  ];
}

/** A command for the server that starts, as one types it in the same folder. */
function laterCommand({ settings: { config, origins } }: Start, words: string): string {
  const flag = flagOf("data");
  const folder = origins.data === flag ? [flag, quoted(config.data)] : [];
  return [typedCommand(), words, ...folder].join(" ");
}

/** How to get what nobody has seen. */
function advice(start: Start, { name }: User): string {
  const [key, url, login] = ["key add", "widget url", "login"].map((words) =>
    laterCommand(start, `${words} ${name}`),
  );
  return `what this first start printed could not be written: get a key with "${key}", the address for OBS with "${url}", and a sign-in link with "${login}"`;
}

function credentialsOf({ key, widgetToken }: AddedUser, baseUrl: string) {
  return {
    api_key: key,
    widget_token: widgetToken,
    widget_url: widgetAddress(baseUrl, "en", widgetToken),
  };
}

function signInLines(loginUrl: string | undefined): string[] {
  if (!loginUrl) return [];
  return [
    "  Open this to set everything up in your browser. It works once, within half an hour:",
    `    ${loginUrl}`,
  ];
}

function secretsOf({ user, key, widgetToken }: AddedUser, baseUrl: string): string[] {
  return [
    `  User       ${user.name}, who gets the demo playlist for now`,
    `  API key    ${key}`,
    "             shown only once: keep it",
    "",
    "  Ask what is playing:",
    `    curl -H 'X-Api-Key: ${key}' ${apiAddress(baseUrl, "now-playing")}`,
    "",
    "  Put it on stream: add a browser source of 500 × 120 in OBS with this address:",
    `    ${widgetAddress(baseUrl, "en", widgetToken)}`,
  ];
}

/** A log keeps its text. A magic link expires soon, but an API key or widget address does not. */
function whereSecretsAre(start: Start, { name }: User): string[] {
  return [
    "  This goes to a log, so neither API key nor widget address is shown. Get them in the dashboard,",
    "  or with these commands:",
    `    ${laterCommand(start, `key add ${name}`)}`,
    `    ${laterCommand(start, `widget url ${name}`)}`,
  ];
}

/** The operating system's name for the user who runs this. In a container there may be none. */
function systemUserName(): string {
  try {
    const { username } = userInfo();
    // Bun reads the name only from $USER, and returns "unknown" for services without that variable.
    if (username !== "unknown" && username !== "") return username;
  } catch {
    // In a container, the process's user may be missing from the list of users.
  }
  const answer = Bun.which("id") ? Bun.spawnSync(["id", "-un"]).stdout.toString().trim() : "";
  return answer || "owner";
}
