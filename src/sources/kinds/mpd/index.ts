import { atMost } from "../../../clock.ts";
import type { Playback } from "../../../playback.ts";
import { LONGEST_ADDRESS } from "../../../text-limits.ts";
import { createCoverLookup } from "./cover.ts";
import { connectMpd, type MpdAddress, type MpdNetwork } from "./connection.ts";
import { ACK_PASSWORD, ACK_PERMISSION, fieldOf, MpdRefusal } from "./protocol.ts";
import {
  defineSource,
  type Source,
  type SourceFailure,
  unauthorized,
  unavailable,
  type WatchContext,
} from "../../source.ts";
import { toSourceFailure } from "../../answer-failure.ts";
import { passwordOption } from "../../entered-server.ts";
import { ASK_ALL, isActive, NAME, readPlayback } from "./answer.ts";

/** The Music Player Daemon, in its protocol: https://mpd.readthedocs.io/en/stable/protocol.html */

interface MpdSettings {
  readonly address: string;
  readonly password: string;
}

const DEFAULT_ADDRESS = "127.0.0.1:6600";
const DEFAULT_PORT = 6600;

/** Longest time that a title waits for its cover. */
const MOMENT_MS = 60;

/** A player may report a few changes at once. One that never stops is not queried more often. */
const MOST_ROUNDS_A_SECOND = 20;

/**
 * MPD pushes every change. A query after this time without one detects a dead connection, and that a song
 * goes on for longer than it said.
 */
const RESYNC_MS = 10_000;

export interface MpdDeps {
  readonly network: MpdNetwork;
}

export const createMpd = ({ network }: MpdDeps): Source =>
  defineSource({
    id: "mpd",
    name: NAME,
    delivery: "streamed",
    facts: {
      runs: "computer",
      reports: ["position", "pause", "cover"],
      reportsSometimes: ["volume"],
      calls: ["entered"],
    },
    options: {
      address: {
        longest: LONGEST_ADDRESS,
        placeholder: "host:port",
        help: "Where MPD listens: host:port, or the path of its socket.",
        fallback: DEFAULT_ADDRESS,
        allowed: `host:port, such as ${DEFAULT_ADDRESS}, or a socket's path starting with /`,
        parse(text) {
          const address = text.trim();
          return parseAddress(address) && address;
        },
      },
      password: passwordOption("MPD's password, if it asks for one."),
    },

    account: () => ({ displayName: "MPD" }),
    addressOf({ address }) {
      const place = placeOf(address);
      return "unix" in place
        ? { scheme: "unix", host: place.unix, port: null }
        : { scheme: "mpd", host: place.hostname.toLowerCase(), port: place.port };
    },
    async findHere(search) {
      const address = search.machine.at(DEFAULT_ADDRESS);
      return (await import("./find.ts")).find(
        placeOf(address),
        { address },
        { ...search, network },
      );
    },

    async *watch(settings, context) {
      try {
        yield* listen(settings, { ...context, network });
      } catch (error) {
        if (context.signal.aborted) return;
        const where = `MPD at ${settings.address}`;
        throw error instanceof MpdRefusal ? meaningOf(error, where) : toSourceFailure(error, where);
      }
    },
  });

async function* listen(
  settings: MpdSettings,
  context: WatchContext & MpdDeps,
): AsyncGenerator<Playback | null, void> {
  const address = placeOf(settings.address);
  const connection = await connectMpd(address, settings.password, context);
  const covers = createCoverLookup(() => connectMpd(address, settings.password, context), {
    ...context,
    origin: `mpd ${context.connection.id}`,
  });
  const { clock, signal } = context;
  /** When the last rounds were answered. */
  const rounds: number[] = [];
  try {
    while (!signal.aborted) {
      const answer = await connection.send(ASK_ALL);
      const observedAtMs = clock.monotonicMs();
      rounds.push(observedAtMs);
      const uri = fieldOf(answer, "file");
      const cover = uri !== undefined && isActive(answer) ? covers.find(uri) : undefined;
      const soon = cover && (await atMost(clock, MOMENT_MS, cover));
      yield cover ? readPlayback(answer, soon ?? null, observedAtMs) : null;

      const change = connection.idle("player mixer", RESYNC_MS);
      const isLate = cover && soon === undefined;
      const lateCover = isLate && (await Promise.race([change, cover]));
      if (lateCover) yield readPlayback(answer, lateCover, observedAtMs);
      await change;

      const oldestMs = rounds.length < MOST_ROUNDS_A_SECOND ? undefined : rounds.shift();
      const waitMs = oldestMs === undefined ? 0 : oldestMs + 1_000 - clock.monotonicMs();
      if (waitMs > 0) await clock.sleep(waitMs, signal);
    }
  } finally {
    connection.close();
    covers.close();
  }
}

function parseAddress(address: string): MpdAddress | undefined {
  if (address.startsWith("/")) return { unix: address };
  const match = /^(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(?::(\d{1,5}))?$/.exec(address);
  const port = Number(match?.[2] ?? DEFAULT_PORT);
  if (!match?.[1] || port < 1 || port > 65_535) return undefined;
  return { hostname: match[1].replace(/^\[|\]$/g, ""), port };
}

/** Where an address leads that was parsed before. */
function placeOf(address: string): MpdAddress {
  const place = parseAddress(address);
  if (!place) throw new Error("This is not the address of an MPD.");
  return place;
}

const meaningOf = ({ code, message }: MpdRefusal, where: string): SourceFailure =>
  code === ACK_PASSWORD || code === ACK_PERMISSION
    ? unauthorized(`${where} refuses the password or asks for one`)
    : unavailable(`${where} refuses a command: ${message}`);
