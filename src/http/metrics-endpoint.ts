import { Elysia } from "elysia";
import type { Feature } from "./plugin.ts";
import type { Metrics } from "../metrics.ts";
import { guards } from "./guards.ts";
import { plainText } from "./plain-text.ts";
import type { RouteContext } from "./route-context.ts";

/** `GET /metrics`: for clients with the token. */
export function createMetricsFeature(metrics: Pick<Metrics, "read">, token: string): Feature {
  const read = async ({ request }: Pick<RouteContext, "request">): Promise<Response> => {
    const sent = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    if (sent === undefined || !isSame(sent, token)) {
      return plainText(401, "The metrics need their token", { "WWW-Authenticate": "Bearer" });
    }
    const { text, type } = await metrics.read();
    return new Response(text, { headers: { "Content-Type": type, "Cache-Control": "no-store" } });
  };
  const plugin = new Elysia({ name: "metrics" })
    .use(guards)
    .get("/metrics", ({ request }) => read({ request }), { secret: "metrics token" });
  return { plugin };
}

/** Compares hashes, so that the time taken does not reveal how many characters match. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
  return digest(one) === digest(other);
}
