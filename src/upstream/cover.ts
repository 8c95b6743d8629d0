import { UpstreamError } from "./index.ts";
import { MOST_REDIRECTS, redirectOf } from "./redirects.ts";

export const LARGEST_COVER_BYTES = 8 * 1024 * 1024;

/**
 * The picture at an address, which may redirect three times.
 * @param call asks for one address; its answer may have {@link LARGEST_COVER_BYTES}
 * @param mayLead whether a redirect is followed
 * @throws {UpstreamError} when there is none
 */
export async function loadCover(
  address: URL,
  call: (at: URL) => Promise<Response>,
  mayLead: (from: URL, to: URL) => boolean,
): Promise<Uint8Array> {
  let at = address;
  for (let followed = 0; followed <= MOST_REDIRECTS; followed += 1) {
    const response = await call(at);
    if (response.status === 200) return response.bytes();
    const next = redirectOf(at, response, (to) => mayLead(at, to));
    if (!next) throw new UpstreamError(`a cover answered ${response.status}`);
    at = next;
  }
  throw new UpstreamError("a cover redirects too often");
}
