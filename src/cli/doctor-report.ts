import type { Reading } from "../channels/reading.ts";
import { artistNames, type Playback } from "../playback.ts";
import { nextTurn } from "../next-turn.ts";
import { musicOf, statusWord } from "../sources/connected-music.ts";
import type { Execution } from "../control/execution.ts";
import { statusLine } from "../sources/status-line.ts";

/** A connection, without what it was connected with. */
export interface CheckedConnection {
  readonly user: string;
  readonly id: number;
  readonly source: string;
  readonly status: string;
  readonly text: string;
  /** What it plays, where songs are wanted and a server runs; `null` for nothing. */
  readonly song?: string | null;
}

/** How long a user's connections may take to report. */
const REPORTS_WITHIN_MS = 3_000;

/** Each connection with its last status, and with songs what it plays now. */
export async function examineConnections(songs: boolean, execution: Execution): Promise<void> {
  const { accounts, sources, print } = execution;
  const users = accounts.users.list();
  const songsOfAll = await Promise.all(
    users.map((user) => (songs ? songsOf(user.id, execution) : undefined)),
  );
  const checked: CheckedConnection[] = [];
  for (const [index, user] of users.entries()) {
    const songOf = songsOfAll[index];
    for (const { connection, source, status } of musicOf(user.id, accounts, sources)) {
      checked.push({
        user: user.name,
        id: Number(connection.publicId),
        source: source.id,
        status: statusWord(status),
        text: statusLine(status, source),
        ...(songOf && { song: songOf(connection.id) }),
      });
    }
    // Others are answered in between.
    await nextTurn();
  }
  print(checked, []);
}

/** What each connection of a user plays, hidden or not: the doctor's own page. */
async function songsOf(
  userId: number,
  { running }: Execution,
): Promise<((connectionId: number) => string | null) | undefined> {
  if (!running) return undefined;
  const { hub } = running;
  await hub.read(userId, REPORTS_WITHIN_MS).catch((): Reading | undefined => undefined);
  const readings = hub.readingsOf(userId);
  return (connectionId) => {
    const reading = readings.find((one) => one.connectionId === connectionId);
    return reading?.playback ? songIn(reading.playback) : null;
  };
}

const songIn = (playback: Playback): string =>
  [artistNames(playback), playback.track.title].filter((part) => part !== "").join(" – ");
