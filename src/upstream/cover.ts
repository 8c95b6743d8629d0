import { UpstreamError } from "./index.ts";
import { MOST_REDIRECTS, redirectOf } from "./redirects.ts";

export const LARGEST_COVER_BYTES = 8 * 1024 * 1024;

/** A server has answered, and there is no picture. */
export class CoverMissing extends UpstreamError {}

/** Statuses of servers that may have the picture a moment later. */
const mayPass = (status: number): boolean => status >= 500 || status === 429 || status === 408;

/**
 * The picture at an address, which may redirect three times.
 * @param call asks for one address; its answer may have {@link LARGEST_COVER_BYTES}
 * @param mayLead whether a redirect is followed
 * @throws {CoverMissing} when there is none, {@link UpstreamError} where that is not known
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
    const { status } = response;
    const Failure = mayPass(status) ? UpstreamError : CoverMissing;
    if (!next) throw new Failure(`a cover answered ${status}`);
    at = next;
  }
  throw new CoverMissing("a cover redirects too often");
}
