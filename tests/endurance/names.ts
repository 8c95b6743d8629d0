import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** What a program that is started with `command` and `environment` knows of host names. */
export interface Names {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Whether it finds `PLAYER_HOST` from now on. */
  know(isKnown: boolean): void;
}

/** A name that stands for this machine. */
export const PLAYER_HOST = "player.test";

/**
 * The program has files of its own in place of the machine's, which needs root. What they do not
 * know, it asks a server for that nobody runs. `undefined` where that is not allowed.
 */
export function createNames(folder: string): Names | undefined {
  const [hosts, resolver] = [join(folder, "hosts"), join(folder, "resolv.conf")];
  const know = (isKnown: boolean) =>
    writeFileSync(hosts, `127.0.0.1 localhost${isKnown ? ` ${PLAYER_HOST}` : ""}\n`);
  know(true);
  writeFileSync(resolver, "nameserver 127.0.0.1\n");
  const inPlace = `mount --bind ${hosts} /etc/hosts && mount --bind ${resolver} /etc/resolv.conf`;
  const command = ["unshare", "--mount", "sh", "-c", `${inPlace} && exec "$@"`, "sh"];
  if (!Bun.spawnSync([...command, "true"], { stderr: "ignore" }).success) return undefined;
  // Bun remembers an address for half a minute, which is longer than most accidents last.
  return { command, environment: { BUN_CONFIG_DNS_TIME_TO_LIVE_SECONDS: "1" }, know };
}
