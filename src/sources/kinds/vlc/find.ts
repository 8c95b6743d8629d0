import type { FoundPlayer, Search } from "../../here/found.ts";

/** VLC says nothing without its password, but its answer shows that it is VLC. */
export async function find(url: string, { signal, upstreamTo }: Search): Promise<FoundPlayer[]> {
  const { status, headers } = await upstreamTo(url).fetch(`${url}/requests/status.json`, {
    signal,
  });
  const isVlc = status === 401 && /realm="VLC/.test(headers.get("www-authenticate") ?? "");
  return isVlc ? [{ settings: { url }, needs: "password" }] : [];
}
