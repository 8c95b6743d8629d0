import { fill, languages } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import type { ProcessorBudget } from "../http/processor-budget.ts";
import { secondsOf } from "../http/rate-limit.ts";
import { messagePage } from "./message-page.tsx";

/** Where the page for a spent budget appears. */
export interface SpentPlace {
  readonly language: Language;
  readonly basePath: string;
  readonly inPlaceOfOverlay?: true;
}

/** Answers within a user's budget of work; with a page that says how long to wait when it is spent. */
export function withinBudget(
  { waitMs, spend }: Pick<ProcessorBudget, "waitMs" | "spend">,
  userId: number,
  place: SpentPlace,
  answer: () => Promise<Response>,
): Promise<Response> {
  const leftMs = waitMs(userId);
  return leftMs > 0 ? spentPage(place, leftMs) : spend(userId, answer);
}

/** A page that says how long to wait. */
export async function spentPage(place: SpentPlace, waitMs: number): Promise<Response> {
  const { title, text } = languages[place.language].spent;
  const retryAfterSeconds = secondsOf(waitMs);
  const lead = fill(text, { seconds: String(retryAfterSeconds) });
  const response = await messagePage({ ...place, title, lead, retryAfterSeconds, status: 429 });
  // Streaming software does not load a page again by itself.
  if (place.inPlaceOfOverlay) response.headers.set("Refresh", String(retryAfterSeconds));
  return response;
}
