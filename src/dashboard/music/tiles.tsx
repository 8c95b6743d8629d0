import { pathTo } from "../../html/section-paths.ts";
import { Html } from "../../jsx.ts";
import type { DashboardRequest } from "../request.ts";
import { Sign, type SignName } from "./signs.tsx";

/** What people listen with, in their own words. */
export type Tile = SignName;

/**
 * The sources that follow each, the best one first; those that this server does not offer are passed
 * over. A source that stands nowhere is "something else". The quick start's table says the same.
 */
const WAYS: Readonly<Record<Tile, readonly string[]>> = {
  spotify: ["spotify", "windows", "macos", "mpris", "lastfm"],
  sites: ["webscrobbler", "webnowplaying", "pear", "tuna"],
  apple: ["cider", "macos", "windows", "lastfm"],
  soundcloud: ["webscrobbler", "webnowplaying", "lastfm"],
  player: ["windows", "macos", "mpris", "vlc", "beefweb", "mpd"],
  server: ["jellyfin", "emby", "plex", "subsonic", "homeassistant"],
  radio: ["broadcast", "mixxx", "serato", "radio", "azuracast", "icecast"],
  other: ["lastfm", "listenbrainz-reader", "json"],
};

/** Services go by their names in every language. */
const SERVICES = { spotify: "Spotify", apple: "Apple Music", soundcloud: "SoundCloud" } as const;

const tileName = (tile: Tile, { words }: Pick<DashboardRequest, "words">): string =>
  ({ ...words.dashboard.music.tiles, ...SERVICES })[tile];

export const TILES = Object.keys(WAYS) as readonly Tile[];

/** The tile that leads to a source first: its sign is the source's. */
export const tileOf = (sourceId: string): Tile =>
  TILES.find((tile) => WAYS[tile].includes(sourceId)) ?? "other";

/** The ways that a tile leads to, of those that are offered, the best one first. */
export function waysOf<Offered extends { readonly id: string }>(
  tile: Tile,
  offered: readonly Offered[],
): readonly Offered[] {
  const listed = WAYS[tile].flatMap((id) => offered.filter((source) => source.id === id));
  if (tile !== "other") return listed;
  const others = offered.filter(({ id }) => tileOf(id) === "other");
  return [...new Set([...listed, ...others])];
}

/** In the address of the page of music: the chosen tile. */
export const ADD = "add";
/** The element that a chosen tile leads to. */
export const WAY_ID = "way";

interface TilesProps {
  readonly request: DashboardRequest;
  readonly chosen?: Tile | undefined;
}

/** What people listen with: each leads to the page of music, where it is added. */
export const Tiles = ({ request, chosen }: TilesProps): JSX.Element => (
  <ul class="tiles">
    {TILES.map((tile) => (
      <li>
        <a
          href={`${pathTo(request, "music")}?${ADD}=${tile}#${WAY_ID}`}
          {...(tile === chosen && { "aria-current": "true" })}
        >
          <Sign of={tile} />
          <span safe>{tileName(tile, request)}</span>
        </a>
      </li>
    ))}
  </ul>
);
