import { userInfo } from "node:os";
import { resolve } from "node:path";
import type { Accounts, AddedUser } from "../accounts/accounts.ts";
import { signInUrl } from "../accounts/magic-links.ts";
import type { User } from "../accounts/users.ts";
import { apiAddress, widgetAddress } from "../addresses.ts";
import { type Config, type ResolvedConfig } from "../config.ts";
import type { Log } from "../log.ts";
import { isFromSource } from "../own-program.ts";
import { toUserName } from "../user-name.ts";
import { RUN_FROM_SOURCE, VERSION } from "../version.ts";
import type { Io } from "../control/execution.ts";
import { isOutputLogged, readOutputFacts } from "../control/logged-output.ts";

/** What a server that starts prints for the person or program that has started it. */

/** Whether the owner gets a magic link on the first start only, or on each. */
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

/**
 * Prints the server's address, and on the first start everything needed to use it. Returns the magic
 * link of the first start.
 * @param added the owner, on the first start
 */
export function greet(
  accounts: Accounts,
  added: AddedUser | undefined,
  { config }: ResolvedConfig,
  baseUrl: string,
  asJson: boolean,
  io: Io,
  greeting: Greeting,
  log: Log,
): string | undefined {
  const owner = accounts.users.owner();
  const welcomed = greeting === "always" ? owner : added?.user;
  const loginUrl = welcomed && signInUrl(accounts, baseUrl, welcomed, "en");
  const text = asJson
    ? JSON.stringify({
        event: "ready",
        url: baseUrl,
        username: owner?.name ?? null,
        ...(added && credentialsOf(added, baseUrl)),
        ...(loginUrl && { login_url: loginUrl }),
      })
    : [
        "",
        ...greetingLines(
          baseUrl,
          config,
          owner,
          added,
          loginUrl,
          isOutputLogged(readOutputFacts(io.environment)),
        ),
        "",
      ].join("\n");
  try {
    // In one write: a reader that closes its pipe early must not stop the server.
    io.out(text);
  } catch {
    // The server runs on: its address is logged too, and keys are made anew by a command.
    if (added) log.warn(advice(added.user));
  }
  return loginUrl;
}

function greetingLines(
  baseUrl: string,
  config: Config,
  owner: User | undefined,
  added: AddedUser | undefined,
  loginUrl: string | undefined,
  isLogged: boolean,
): string[] {
  const lines = added
    ? [
        "",
        ...signInLines(loginUrl),
        "",
        ...(isLogged ? whereSecretsAre(added) : secretsOf(added, baseUrl)),
      ]
    : [
        `  API        ${apiAddress(baseUrl, "now-playing")}`,
        `  Widget     ${commandToType()} widget url ${owner?.name ?? "USER"}`,
        ...(loginUrl
          ? ["", ...signInLines(loginUrl)]
          : [`  Dashboard  ${commandToType()} login ${owner?.name ?? "USER"}`]),
      ];
  return [
    `  Marquee ${VERSION} serves ${baseUrl}`,
    `  Data       ${resolve(config.data)}`,
    ...lines,
  ];
}

/** How to get what nobody has seen. */
const advice = ({ name }: User): string =>
  `what this first start printed could not be written: get a key with "${commandToType()} key add ${name}", the address for OBS with "${commandToType()} widget url ${name}", and a sign-in link with "${commandToType()} login ${name}"`;

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
function whereSecretsAre({ user }: AddedUser): string[] {
  return [
    "  This goes to a log, so neither API key nor widget address is shown. Get them in the dashboard,",
    "  or with these commands:",
    `    ${commandToType()} key add ${user.name}`,
    `    ${commandToType()} widget url ${user.name}`,
  ];
}

/** What people type to run this program: its own name, or the command that runs the sources. */
function commandToType(): string {
  return isFromSource() ? RUN_FROM_SOURCE : "marquee";
}

/** In a container, the process's user may be missing from the list of users. */
function nameFromUserInfo(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}

/** The operating system's name for the user who runs this. In a container there may be none. */
function systemUserName(): string {
  // Bun reads the name only from $USER, and returns "unknown" for services without that variable.
  const username = nameFromUserInfo();
  if (username !== "unknown" && username !== "") return username;
  const answer = Bun.which("id") ? Bun.spawnSync(["id", "-un"]).stdout.toString().trim() : "";
  return answer || "owner";
}
