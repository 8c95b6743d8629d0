import type { FoundPlayer, Search } from "../found.ts";
import type { Upstream } from "../upstream.ts";

/** VLC tells nothing without its password, but its answer tells that it is VLC. */
export async function find(
  url: string,
  { signal }: Search,
  upstream: Upstream,
): Promise<FoundPlayer[]> {
  const { status, headers } = await upstream.fetch(`${url}/requests/status.json`, { signal });
  const isVlc = status === 401 && /realm="VLC/.test(headers.get("www-authenticate") ?? "");
  return isVlc ? [{ settings: { url }, needs: "password" }] : [];
}
