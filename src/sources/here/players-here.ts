import { atMost } from "../../clock.ts";
import type { FoundPlayer, Search } from "./found.ts";
import { type OpenSource, type Source, worksOn } from "../source.ts";

/** A player on this machine that can be connected without typing its address. */
export interface Found extends FoundPlayer {
  readonly source: Source;
}

/** Programs of this machine answer at once; one that does not is left out. */
const DEADLINE_MS = 1_000;
/** A page that is opened twice in a row does not ask the players twice. */
const REMEMBERED_MS = 3_000;

/** Looks for players on this machine, each source in its own way; all at once and briefly. */
export function createPlayersHere(
  sources: readonly Source[],
  { clock, ...where }: Omit<Search, "signal">,
): () => Promise<readonly Found[]> {
  let last: { readonly found: Promise<readonly Found[]>; readonly atMs: number } | undefined;

  const findAll = async (): Promise<readonly Found[]> => {
    const ending = new AbortController();
    const search = { ...where, clock, signal: ending.signal };
    const here = sources.filter((source) => worksOn(where.machine.platform, source));
    const searches = here.map((source) => atMost(clock, DEADLINE_MS, findIn(source, search)));
    const found = (await Promise.all(searches)).flatMap((players) => players ?? []);
    ending.abort();
    return found;
  };

  return () => {
    const nowMs = clock.monotonicMs();
    if (!last || nowMs - last.atMs >= REMEMBERED_MS) last = { found: findAll(), atMs: nowMs };
    return last.found;
  };
}

async function findIn(source: Source, search: Search): Promise<readonly Found[]> {
  try {
    const players = (await source.findHere?.(search)) ?? [];
    return players.map((player) => ({ ...player, source }));
  } catch {
    // Nobody is there, or it is another program.
    return [];
  }
}

/** Whether a connection of the same source follows this player already. */
export function isConnectedAs(found: Found, connected: OpenSource): boolean {
  const { source, settings, otherSettings } = found;
  return [settings, otherSettings]
    .filter((one) => one !== undefined)
    .some((given) => {
      const { address, settings: wanted } = source.open(given);
      if (address) return Bun.deepEquals(placeOf(address), placeOf(connected.address));
      // Without an address, a connection without options follows every player.
      const all = source.open({}).settings;
      return [wanted, all].some((one) => Bun.deepEquals(one, connected.settings));
    });
}

/** Where an address leads, with one spelling for this machine. */
function placeOf(address: OpenSource["address"]) {
  const isLoopback = /^(localhost|127(\.\d+){3}|::1)$/.test(address?.host ?? "");
  return address && { host: isLoopback ? "127.0.0.1" : address.host, port: address.port };
}
