import type { CoverServiceName } from "../config.ts";
import { LARGEST_COVER_BYTES, loadCover } from "../upstream/cover.ts";
import {
  createUpstream,
  type Upstream,
  type UpstreamDeps,
  UpstreamError,
  type UpstreamRequest,
} from "../upstream/index.ts";
import { isRecord, numberOf, parseJson, recordsOf, textOf } from "../upstream/json.ts";
import { redirectOf } from "../upstream/redirects.ts";
import type { Candidate, WantedSong } from "./match.ts";
import type { Parts } from "../http/parts.ts";

/** A service that knows covers. */
export interface CoverService {
  readonly name: CoverServiceName;
  /** @throws {Overloaded} when it asks for a pause, {@link UpstreamError} for other failures */
  search(song: WantedSong): Promise<readonly Candidate[]>;
  /** Whether there is a picture at a candidate's address. Throws as `search` does. */
  has(cover: string): Promise<boolean>;
  /** The picture at a candidate's address. @throws {UpstreamError} */
  load(cover: string): Promise<Uint8Array>;
}

/** A service asks to be left alone for a while. */
export class Overloaded extends Error {
  override readonly name = "Overloaded";
}

/** Whether a redirect to an address is followed. */
type MayLead = (url: URL) => boolean;

const TOO_MANY_CALLS = [429, 503];
/** A longer name fits nothing, and a search has to be short. */
const LONGEST_NAME = 200;

const isBelow = (url: URL, domain: string): boolean =>
  url.protocol === "https:" && url.port === "" && url.hostname.endsWith(`.${domain}`);

const loadPicture = (upstream: Upstream, address: string, mayLead: MayLead): Promise<Uint8Array> =>
  loadCover(
    new URL(address),
    (at) => upstream.fetch(at, { largestBytes: LARGEST_COVER_BYTES }),
    (_, to) => mayLead(to),
  );

async function getJson(
  upstream: Upstream,
  url: URL,
  request: Pick<UpstreamRequest, "contact"> = {},
): Promise<Record<string, unknown>> {
  const headers = { Accept: "application/json" };
  const response = await upstream.fetch(url, { ...request, headers });
  refuseOverload(response);
  if (response.status !== 200) {
    throw new UpstreamError(`a search for a cover answered ${response.status}`);
  }
  const answer = parseJson(await response.text());
  return isRecord(answer) ? answer : {};
}

function refuseOverload({ status }: Response): void {
  if (TOO_MANY_CALLS.includes(status)) throw new Overloaded(`a search answered ${status}`);
}

/** A phrase of both services' query languages, in which nothing else has a meaning. */
const quoted = (name: string): string =>
  `"${name.slice(0, LONGEST_NAME).replaceAll(/["\\]/g, " ").toWellFormed()}"`;

const isVariousArtists = (name: string): boolean => /^various artists$/i.test(name);

/**
 * MusicBrainz knows recordings, the Cover Art Archive their albums' covers, and the Internet Archive
 * holds the pictures. https://musicbrainz.org/doc/MusicBrainz_API and
 * https://musicbrainz.org/doc/Cover_Art_Archive/API
 * @param contact where its operators find out whose program this is
 */
export function createMusicBrainz(upstream: Upstream, contact: string): CoverService {
  // The archive's redirects name the domain itself first, then one of its servers.
  const mayLead: MayLead = (url) =>
    isBelow(url, "archive.org") || url.origin === "https://archive.org";
  return {
    name: "musicbrainz",
    async search({ title, artists }) {
      const url = new URL("https://musicbrainz.org/ws/2/recording?fmt=json&limit=10");
      const query = `recording:${quoted(title)} AND artist:${quoted(artists[0] ?? "")}`;
      url.searchParams.set("query", query);
      const answer = await getJson(upstream, url, { contact });
      return recordsOf(answer["recordings"]).flatMap(candidatesOf);
    },
    async has(cover) {
      const response = await upstream.fetch(cover, { wantsBody: false });
      refuseOverload(response);
      if (response.status === 404) return false;
      if (response.status === 200 || redirectOf(new URL(cover), response, mayLead)) return true;
      throw new UpstreamError(`a cover answered ${response.status}`);
    },
    load: (cover) => loadPicture(upstream, cover, mayLead),
  };
}

/** A recording once for each of its albums. */
function candidatesOf(recording: Record<string, unknown>): Candidate[] {
  const credits = recordsOf(recording["artist-credit"]);
  const names = credits.flatMap(({ name }) => textOf(name) ?? []);
  // Players often give several artists as one name.
  const together = credits
    .map(
      ({ name, joinphrase }) =>
        (textOf(name) ?? "") + (typeof joinphrase === "string" ? joinphrase : ""),
    )
    .join("");
  return recordsOf(recording["releases"]).flatMap((release) => {
    const group = isRecord(release["release-group"]) ? release["release-group"] : {};
    const id = textOf(group["id"]);
    if (id === undefined || !/^[0-9a-f-]{36}$/.test(id)) return [];
    const by = recordsOf(release["artist-credit"]).flatMap(({ name }) => textOf(name) ?? []);
    return {
      title: textOf(recording["title"]) ?? "",
      artists: [...new Set([...names, together])],
      album: textOf(release["title"]) ?? "",
      durationMs: numberOf(recording["length"]) || null,
      cover: `https://coverartarchive.org/release-group/${id}/front-500`,
      isOfficial: release["status"] === "Official" && group["primary-type"] === "Album",
      isVarious: by.some(isVariousArtists),
      date: textOf(release["date"]) ?? "",
    };
  });
}

/** The code of an error, which comes as a good answer, for too many calls. */
const DEEZER_QUOTA = 4;

/** https://developers.deezer.com/api/search */
export function createDeezer(upstream: Upstream): CoverService {
  const mayLead: MayLead = (url) => isBelow(url, "dzcdn.net");
  return {
    name: "deezer",
    async search({ title, artists }) {
      const url = new URL("https://api.deezer.com/search?limit=10");
      url.searchParams.set("q", `artist:${quoted(artists[0] ?? "")} track:${quoted(title)}`);
      const { error, data } = await getJson(upstream, url);
      if (isRecord(error)) {
        if (error["code"] === DEEZER_QUOTA) throw new Overloaded("a search exceeded the quota");
        throw new UpstreamError("a search for a cover was refused");
      }
      return recordsOf(data).flatMap(candidateOf);
    },
    // Its answer names pictures that are there.
    has: async () => true,
    load: (cover) => loadPicture(upstream, cover, mayLead),
  };
}

function candidateOf(found: Record<string, unknown>): Candidate[] {
  const album = isRecord(found["album"]) ? found["album"] : {};
  const artist = isRecord(found["artist"]) ? textOf(found["artist"]["name"]) : undefined;
  const cover = URL.parse(textOf(album["cover_big"]) ?? "");
  const isPicture =
    cover !== null &&
    (isBelow(cover, "dzcdn.net") || cover.origin === "https://api.deezer.com") &&
    // So it names the picture of an album that has none.
    !cover.pathname.includes("//");
  if (!isPicture || artist === undefined) return [];
  const seconds = numberOf(found["duration"]);
  return [
    {
      title: textOf(found["title"]) ?? "",
      artists: [artist],
      album: textOf(album["title"]) ?? "",
      durationMs: seconds ? seconds * 1_000 : null,
      cover: cover.href,
      isOfficial: true,
      isVarious: isVariousArtists(artist),
      date: "",
    },
  ];
}

export type CoverServicesDeps = Pick<UpstreamDeps, "clock" | "network"> & Pick<Parts, "baseUrl">;

/** The services of these names, in the same order. */
export function createCoverServices(
  names: readonly CoverServiceName[],
  { baseUrl, ...deps }: CoverServicesDeps,
): readonly CoverService[] {
  const upstream = createUpstream({ ...deps, trustedOrigins: [] });
  const known: Record<CoverServiceName, () => CoverService> = {
    musicbrainz: () => createMusicBrainz(upstream, baseUrl),
    deezer: () => createDeezer(upstream),
  };
  return names.map((name) => known[name]());
}
