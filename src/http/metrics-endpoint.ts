import type { Metrics } from "../metrics.ts";
import { plainText } from "./plain-text.ts";

/** `GET /metrics`: for whoever has the token. */
export function createMetricsEndpoint(metrics: Pick<Metrics, "read">, token: string) {
  return async (request: Request): Promise<Response> => {
    const sent = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    if (sent === undefined || !isSame(sent, token)) {
      return plainText(401, "The metrics need their token", { "WWW-Authenticate": "Bearer" });
    }
    const { text, type } = await metrics.read();
    return new Response(text, { headers: { "Content-Type": type, "Cache-Control": "no-store" } });
  };
}

/** Compared as hashes, so that the time it takes says nothing of how much was right. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
  return digest(one) === digest(other);
}

/**
 * The route that an address belongs to, for counting: names and secrets in it become placeholders,
 * and what belongs to no route is one.
 */
export function routeOf(url: string): string {
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, "").split("?", 1)[0] ?? "/";
  const known = ROUTES.find(([pattern]) => pattern.test(path));
  return known?.[1] ?? "other";
}

const LANGUAGE = "(?:en|fr|es|pt|de)";
const ROUTES: readonly (readonly [RegExp, string])[] = [
  [/\/api\/v1\/now-playing$/, "/api/v1/now-playing"],
  [/\/api\/v1\/user$/, "/api/v1/user"],
  [/\/api\/v1\/openapi\.json$/, "/api/v1/openapi.json"],
  [/\/(livez|readyz|metrics)$/, "health"],
  [/\/assets\//, "/assets/:file"],
  [/\/art\//, "/art/:id/:rendition"],
  [new RegExp(`/${LANGUAGE}/widget/[^/]+/live$`), "/:lang/widget/:token/live"],
  [new RegExp(`/${LANGUAGE}/widget/[^/]+$`), "/:lang/widget/:token"],
  [new RegExp(`/${LANGUAGE}/widget/[^/]+/launcher$`), "/:lang/widget/:token/launcher"],
  [new RegExp(`/${LANGUAGE}/demo(/live)?$`), "/:lang/demo"],
  [new RegExp(`/${LANGUAGE}/dashboard`), "/:lang/dashboard"],
  [new RegExp(`/${LANGUAGE}/docs`), "/:lang/docs"],
  [new RegExp(`/${LANGUAGE}/(sign-in|connect)`), "signing in and linking"],
  [/\/docs-pictures\//, "/docs-pictures/:file"],
  [/\/callback\//, "signing in and linking"],
  [new RegExp(`/${LANGUAGE}/?$`), "/:lang"],
  [/^\/$/, "/"],
];
