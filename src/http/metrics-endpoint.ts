import type { Metrics } from "../metrics.ts";
import { type Feature, get, type RouteContext } from "./feature.ts";
import { plainText } from "./plain-text.ts";

/** `GET /metrics`: for clients with the token. */
export function createMetricsFeature(metrics: Pick<Metrics, "read">, token: string): Feature {
  const answer = async ({ request }: RouteContext): Promise<Response> => {
    const sent = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    if (sent === undefined || !isSame(sent, token)) {
      return plainText(401, "The metrics need their token", { "WWW-Authenticate": "Bearer" });
    }
    const { text, type } = await metrics.read();
    return new Response(text, { headers: { "Content-Type": type, "Cache-Control": "no-store" } });
  };
  return { routes: [get("/metrics", answer)] };
}

/** Compares hashes, so that the time taken does not reveal how many characters match. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
  return digest(one) === digest(other);
}
