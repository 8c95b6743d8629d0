import { fill, languages } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import { secondsOf } from "../http/rate-limit.ts";
import { messagePage } from "./message-page.tsx";

/** The page for a user whose answers have taken too much of the server's work. */
export async function spentPage(
  language: Language,
  basePath: string,
  waitMs: number,
  inPlaceOfOverlay = false,
): Promise<Response> {
  const { title, text } = languages[language].spent;
  const retryAfterSeconds = secondsOf(waitMs);
  const lead = fill(text, { seconds: String(retryAfterSeconds) });
  const page = { language, basePath, title, lead, retryAfterSeconds, inPlaceOfOverlay };
  const response = await messagePage({ ...page, status: 429 });
  // Streaming software does not load a page again by itself.
  if (inPlaceOfOverlay) response.headers.set("Refresh", String(retryAfterSeconds));
  return response;
}
