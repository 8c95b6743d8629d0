import { type Upstream, UpstreamError, type UpstreamHeaders } from "./index.ts";

export const LARGEST_COVER_BYTES = 8 * 1024 * 1024;

/**
 * The picture at an address, which may redirect within its own server.
 * @throws {UpstreamError} when there is none, or it is larger than 8 MiB
 */
export async function loadCover(
  upstream: Upstream,
  address: string,
  headers?: UpstreamHeaders,
): Promise<Uint8Array> {
  const response = await upstream.fetch(address, {
    redirects: "sameOrigin",
    largestBytes: LARGEST_COVER_BYTES,
    ...(headers !== undefined && { headers }),
  });
  if (response.status === 200) return response.bytes();
  throw new UpstreamError(`a cover answered ${response.status}`);
}
