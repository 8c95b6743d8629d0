import type { Accounts } from "../accounts/accounts.ts";
import { type ConsentWarning, consentWarning } from "../accounts/connection-status.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { musicOf } from "./connected-music.ts";
import type { Sources } from "./index.ts";

export interface ConsentReminderDeps {
  readonly accounts: Pick<Accounts, "users" | "connections">;
  readonly sources: Pick<Sources, "byId">;
  readonly clock: Pick<Clock, "wallMs">;
  readonly log: Pick<Log, "warn">;
}

/**
 * Some upstreams end their consent by themselves. Each check warns in the log, once for the last
 * month and once for the last week of each connection.
 */
export function createConsentReminder({ accounts, sources, clock, log }: ConsentReminderDeps) {
  const warned = new Map<number, ConsentWarning>();
  return async (): Promise<void> => {
    for (const user of await accounts.users.list()) {
      const source = sources.byId((await accounts.connections.workingSourceOf(user.id)) ?? "");
      // Only what is linked in the browser ends by itself; the rest need not be decrypted.
      const music = source?.oauth && (await musicOf(user.id, accounts, sources));
      if (!music) continue;
      const { linkedUntil } = music.status;
      const warning = consentWarning(linkedUntil, clock.wallMs());
      if (warning === (warned.get(music.connectionId) ?? "none") || linkedUntil === null) continue;
      warned.set(music.connectionId, warning);
      log.warn("music has to be linked again soon", {
        user: user.name,
        source: music.source.id,
        until: new Date(linkedUntil).toISOString().slice(0, 10),
      });
    }
  };
}
