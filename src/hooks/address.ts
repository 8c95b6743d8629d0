import { AccountError } from "../accounts/context.ts";
import type { User } from "../accounts/users.ts";
import { KEY_NAME_RULE, readKeyName } from "../accounts/key-name.ts";
import { isNeverCalled, parseIp } from "../ip-address.ts";
import { mayBePublic } from "../upstream/public-hosts.ts";
import { LONGEST_ADDRESS, mistakeIn, saidOf } from "../text-limits.ts";

/** Which addresses may be sent songs. What their names resolve to is judged at each call. */

export interface HookAddressRules {
  /** Hosts that the owner has listed. */
  readonly playerHosts: readonly string[];
  /** Addresses of this server itself, as `host:port`. */
  readonly own: readonly string[];
}

/** The owner has to list a host before songs are sent there. */
export class UnlistedHostError extends AccountError {
  readonly host: string;
  constructor(message: string, host: string) {
    super(message, true);
    this.host = host;
  }
}

/**
 * The address of a hook as it is stored.
 * @throws {AccountError} that says what is allowed
 */
export function readHookAddress(
  text: string,
  { name }: Pick<User, "name">,
  { playerHosts, own }: HookAddressRules,
): URL {
  const said = (why: string) => `A hook of ${name} cannot go there: ${why}`;
  const refuse = (why: string): never => {
    throw new AccountError(said(why), true);
  };
  const typed = text.trim();
  const mistake = mistakeIn(typed, LONGEST_ADDRESS);
  if (mistake) return refuse(`it ${saidOf(mistake)}.`);
  const url = URL.parse(typed);
  if (!url || !/^https?:$/.test(url.protocol))
    return refuse("it must be an http or https address.");
  if (url.username || url.password || url.hash) {
    return refuse("it may have neither a user name nor a fragment.");
  }
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  if (port !== 80 && port !== 443 && port < 1024) {
    return refuse("its port must be 80, 443 or from 1024 up.");
  }
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const ip = parseIp(host);
  if (ip && isNeverCalled(ip)) return refuse("nothing may be sent to such an address.");
  if (isOwn(host, port, own)) return refuse("it is Marquee itself.");
  const isListed = playerHosts.includes(host);
  if (!isListed && !mayBePublic(url)) {
    const why = `the owner of this server has to list ${host} with --player-hosts first.`;
    throw new UnlistedHostError(said(why), host);
  }
  if (!isListed && url.protocol !== "https:") {
    const why = `use https, or ask the owner of this server to list ${host} with --player-hosts.`;
    throw new UnlistedHostError(said(why), host);
  }
  return url;
}

/**
 * The name of Streamer.bot's action as it is stored.
 * @throws {AccountError} that says what a name is
 */
export function readHookAction(text: string): string {
  const action = readKeyName(text);
  if (action !== undefined) return action;
  throw new AccountError(`The name of an action has ${KEY_NAME_RULE}.`, true);
}

function isOwn(host: string, port: number, own: readonly string[]): boolean {
  const isLoopback = host === "localhost" || parseIp(host)?.range() === "loopback";
  const spelled = isLoopback ? "127.0.0.1" : host;
  return own.includes(`${spelled}:${port}`);
}
