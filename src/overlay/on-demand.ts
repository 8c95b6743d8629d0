import type { User } from "../accounts/users.ts";
import { parseShowToken } from "../accounts/credential.ts";
import { createBoundedMap } from "../bounded-map.ts";
import { createGuesses } from "../http/guess-limit.ts";
import { methodNotAllowed, plainText, tooMuch } from "../http/plain-text.ts";
import { secondsOf } from "../http/rate-limit.ts";
import type { Widgets } from "../looks/widgets.ts";
import type { Parts } from "../http/parts.ts";

/** Shows and hides an overlay at the press of a button, which is a request without headers. */
export type OnDemand = ReturnType<typeof createOnDemand>;

export interface OnDemandDeps extends Pick<Parts, "clock" | "addressOf"> {
  readonly widgets: Pick<Widgets, "findByShowToken" | "allOf">;
  /** Shows a widget's overlays for so many milliseconds; 0 hides them. */
  show(widgetId: number, ms: number): void;
}

const SECONDS = { least: 5, most: 120, usual: 15 } as const;
const MOST_A_SECOND = 5;
const MOST_COUNTED = 5_000;

export function createOnDemand({ widgets, clock, show, addressOf }: OnDemandDeps) {
  const guesses = createGuesses({ clock, addressOf });
  /** When each widget was last asked, at most five times: monotonic milliseconds. */
  const asked = createBoundedMap<number, readonly number[]>(MOST_COUNTED);

  /** Counts a request; how long to wait if there were too many within a second. */
  const waitOf = (widgetId: number): number => {
    const nowMs = clock.monotonicMs();
    const last = (asked.get(widgetId) ?? []).filter((atMs) => nowMs - atMs < 1_000);
    const [oldest = nowMs] = last;
    if (last.length >= MOST_A_SECOND) return oldest + 1_000 - nowMs;
    asked.set(widgetId, [...last, nowMs]);
    return 0;
  };

  const answer = (
    tokenText: string,
    request: Request,
    readMs: (query: URLSearchParams) => number | undefined,
  ): Response => {
    // Programs that draw a preview of a link ask by HEAD.
    if (request.method !== "GET" && request.method !== "POST") {
      return methodNotAllowed("GET, POST");
    }
    // A browser that only prepares a page that nobody has opened presses no button.
    if (/prefetch|prerender/.test(request.headers.get("sec-purpose") ?? "")) {
      return plainText(403, "Not by a prefetch");
    }
    const token = parseShowToken(tokenText);
    const found = token && widgets.findByShowToken(token);
    if (!found) {
      const waitMs = guesses.count(request);
      if (waitMs !== undefined) return tooMuch("Too many unknown addresses", secondsOf(waitMs));
      return plainText(
        404,
        "This address shows no overlay. Copy it again from your overlay’s page.",
      );
    }
    const waitMs = waitOf(found.id);
    if (waitMs > 0) return tooMuch(`At most ${MOST_A_SECOND} a second`, secondsOf(waitMs));
    const ms = readMs(new URL(request.url).searchParams);
    if (ms === undefined) {
      return plainText(
        400,
        `for must be a whole number of seconds from ${SECONDS.least} to ${SECONDS.most}`,
      );
    }
    show(found.id, ms);
    return new Response(null, { status: 204, headers: { "Cache-Control": "no-store" } });
  };

  return {
    /** `GET` and `POST /show/{token}`. */
    show: (token: string, request: Request) =>
      answer(token, request, (query) => millisecondsIn(query.get("for"))),
    /** `GET` and `POST /hide/{token}`. */
    hide: (token: string, request: Request) => answer(token, request, () => 0),
    /** Shows all overlays of a user, whose chat has asked for the song. */
    showAll(user: User) {
      const overlays = widgets.allOf(user).filter(({ kind }) => kind === "overlay");
      for (const { id } of overlays) if (waitOf(id) === 0) show(id, SECONDS.usual * 1_000);
    },
  };
}

/** The wanted time in milliseconds; `undefined` for a wrong one. */
function millisecondsIn(text: string | null): number | undefined {
  if (text === null) return SECONDS.usual * 1_000;
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  return seconds >= SECONDS.least && seconds <= SECONDS.most ? seconds * 1_000 : undefined;
}
