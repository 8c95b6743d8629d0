import { isAddressOrPath, nameOfAddress, withoutSecrets } from "../../../address-name.ts";
import type { Artwork, Playback } from "../../../playback.ts";
import { fieldsOf, isRecord, numberOf, recordOf, textOf, textsOf } from "../../../upstream/json.ts";
import { digestOf } from "../../../digest.ts";
import { hasSpotifyAdNames, isSpotifyAdId } from "../../advertisements.ts";
import { type OnAir, readOnAir } from "../../../titles/on-air.ts";
import { firstNamed } from "../../../titles/placeholders.ts";
import {
  lengthMs,
  percentOf,
  positionSince,
  reportedPosition,
  WHOLE_SECONDS_LAG_MS,
} from "../../amounts.ts";
import { isVideoPage } from "../../title-origin.ts";

/** A media player as Home Assistant sees it. */
export interface Entity {
  readonly state: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** @throws {UnreadableAnswer} */
export function readEntity(answer: unknown): Entity {
  const { state, attributes } = recordOf(answer, "the entity");
  return { state: textOf(state) ?? "", attributes: fieldsOf(attributes) };
}

/**
 * The entity after an event of `subscribe_entities`, which sends only what has changed. `null` when
 * the entity was removed, and the same when the event is not about it.
 */
export function afterEvent(entity: Entity | null, id: string, event: unknown): Entity | null {
  if (!isRecord(event)) return entity;
  const { a: added, c: changed, r: removed } = event;
  if (textsOf(removed).includes(id)) return null;
  const whole = isRecord(added) ? added[id] : undefined;
  if (isRecord(whole)) return readEntity({ state: whole["s"], attributes: whole["a"] });
  const part = isRecord(changed) ? changed[id] : undefined;
  if (!isRecord(part) || entity === null) return entity;
  const { "+": more, "-": less } = part;
  const attributes = { ...entity.attributes };
  for (const name of textsOf(fieldsOf(less)["a"])) delete attributes[name];
  if (!isRecord(more)) return { ...entity, attributes };
  return {
    state: textOf(more["s"]) ?? entity.state,
    attributes: { ...attributes, ...fieldsOf(more["a"]) },
  };
}

export interface EntityContext {
  readonly id: string;
  /** Monotonic time, in milliseconds. */
  readonly observedAtMs: number;
  /** Home Assistant's own time, Unix time in milliseconds. */
  readonly serverWallMs: number;
  artworksOf(key: string, picture: string): readonly Artwork[];
}

/** Converts an entity; `null` when it plays nothing that has a title, or an advertisement. */
export function readPlayback(
  { state, attributes: reported }: Entity,
  { id, observedAtMs, serverWallMs, artworksOf }: EntityContext,
): Playback | null {
  const content = withoutSecrets(textOf(reported["media_content_id"]) ?? "");
  const given = textOf(reported["media_title"]);
  const fileName = fileNameIn(content);
  const isPlaying = state === "playing" || state === "buffering";
  if (!(isPlaying || state === "paused")) return null;
  const named = firstNamed(
    textsOf(reported["media_artist"]),
    textsOf(reported["media_album_artist"]),
  );
  const onAir = onAirOf(reported, { given, fileName }, named);
  if (onAir === null) return null;
  const title = onAir?.title ?? given ?? fileName ?? "";
  if (title === "") return null;
  const artists = onAir?.artists ?? named;
  const album = textOf(reported["media_album_name"]) ?? "";
  const app = textOf(reported["app_name"]);
  const names = { player: app ?? id, title, artists };
  if (isSpotifyAdId(content) || hasSpotifyAdNames(names)) return null;
  const trackId = digestOf([content, title, artists.join(", "), album]);
  const picture = textOf(reported["entity_picture"]);
  const artworks = picture ? artworksOf(digestOf([trackId, withoutToken(picture)]), picture) : [];
  const durationMs = lengthMs(reported["media_duration"], 1000);
  const position = numberOf(reported["media_position"]);
  const ageMs = isPlaying ? ageOf(reported, serverWallMs) : 0;
  const positionMs =
    position === undefined ? null : positionSince(position * 1000, ageMs, durationMs);
  return {
    source: "Home Assistant",
    state: isPlaying ? "playing" : "paused",
    track: {
      id: trackId,
      title,
      durationMs,
      explicit: false,
    },
    artists,
    ...(onAir && { namesFrom: onAir.namesFrom }),
    ...(isVideoPage(app) && { namesFrom: { origin: "page" } }),
    album: { name: album || (onAir?.station ?? ""), artworks },
    device: {
      name: textOf(reported["friendly_name"]) ?? id,
      type: textOf(reported["device_class"]) ?? "media_player",
      volumePercent: percentOf(reported["volume_level"], 1),
    },
    ...reportedPosition(positionMs, WHOLE_SECONDS_LAG_MS),
    observedAtMs,
    rate: 1,
  };
}

/** The name of the file that plays. Home Assistant speaks by files with random names. */
function fileNameIn(content: string): string | undefined {
  const isFile = isAddressOrPath(content) && !content.includes("/tts_proxy/");
  return isFile ? textOf(nameOfAddress(content)) : undefined;
}

/**
 * What a radio station has on the air; `undefined` for what is no station's, `null` for an advertisement.
 * Without a field of its own, a station's name stands where the artist would.
 */
function onAirOf(
  reported: Entity["attributes"],
  { given, fileName }: Readonly<Record<"given" | "fileName", string | undefined>>,
  artists: readonly string[],
): OnAir | null | undefined {
  const channel = textOf(reported["media_channel"]);
  const isAddress = /^https?:/i.test(textOf(reported["media_content_id"]) ?? "");
  const isStation = channel !== undefined || isAddress || artists.length === 0;
  const hasLength = lengthMs(reported["media_duration"], 1000) !== null;
  if (hasLength || !isStation || artists.length > 1) return undefined;
  const [artist] = artists;
  const otherwise = fileName ?? "";
  return channel === undefined
    ? readOnAir({ text: given ?? fileName, station: artist, otherwise })
    : readOnAir({ text: given, station: channel, artist, otherwise });
}

/** How long ago the position was reported, in milliseconds. */
function ageOf(reported: Entity["attributes"], serverWallMs: number): number {
  const { media_position_updated_at: stamp } = reported;
  const unixSeconds = numberOf(stamp);
  const reportedAtMs =
    unixSeconds === undefined ? Date.parse(textOf(stamp) ?? "") : unixSeconds * 1000;
  return Number.isNaN(reportedAtMs) ? 0 : Math.max(0, serverWallMs - reportedAtMs);
}

/** The address of a picture has a token that changes by itself, and a mark that changes with it. */
function withoutToken(picture: string): string {
  return picture.replace(/([?&])token=[^&]*/, "$1");
}
