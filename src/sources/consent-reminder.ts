import type { Accounts } from "../accounts/accounts.ts";
import { type ConsentWarning, consentWarning, LONGEST_WARNING_MS } from "../music/consent.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { nextTurn } from "../next-turn.ts";
import { musicOf, noteAccounts } from "./connected-music.ts";
import type { Sources } from "./index.ts";
import { isLinked } from "./source.ts";

export interface ConsentReminderDeps {
  readonly accounts: Pick<Accounts, "connections">;
  readonly sources: Pick<Sources, "all" | "byId">;
  readonly clock: Pick<Clock, "wallMs">;
  readonly log: Pick<Log, "warn">;
}

/**
 * At some upstreams the user's consent expires. Each call of the result checks this and warns in
 * the log: once in the last month and once in the last week of each connection's consent.
 */
export function createConsentReminder(deps: ConsentReminderDeps) {
  const { accounts, sources, clock, log } = deps;
  const warned = new Map<number, ConsentWarning>();
  return async (): Promise<void> => {
    // Only consent that was given in the browser (OAuth linking) expires.
    for (const source of sources.all.filter(isLinked)) await noteAccounts(source, accounts);
    const soonMs = clock.wallMs() + LONGEST_WARNING_MS;
    for (const user of accounts.connections.usersWhoseConsentEnds(soonMs)) {
      await nextTurn();
      for (const { connection, source, status } of musicOf(user.id, accounts, sources)) {
        if (status.state === "needsLinking") continue;
        const { linkedUntil } = status;
        const warning = consentWarning(linkedUntil, clock.wallMs());
        if (warning === (warned.get(connection.id) ?? "none") || linkedUntil === null) continue;
        warned.set(connection.id, warning);
        log.warn("music has to be linked again soon", {
          user: user.name,
          source: source.id,
          until: new Date(linkedUntil).toISOString().slice(0, 10),
        });
      }
    }
  };
}
