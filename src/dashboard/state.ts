import { hidesTrack, isSharingPaused, UNTIL_RESUMED } from "../accounts/privacy.ts";
import type { User } from "../accounts/users.ts";
import { fill, formatTime, languages } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import type { Inbox } from "../ingest/inbox.ts";
import { LivePart, RowPart } from "./music/live-part.tsx";
import { artistNames, type Playback, positionAt } from "../playback.ts";
import type { Covers } from "../overlay/covers.ts";
import type { Live } from "../overlay/live.ts";
import { Attention } from "./music/attention.tsx";
import { hasOwnMusic, musicOf, sourceName } from "../sources/connected-music.ts";
import type { Parts } from "../http/parts.ts";

/** Everything that the dashboard shows live, in the user's language. */
export type DashboardState = Awaited<ReturnType<Present>>;

/** Gives what a user's dashboard shows live. */
export type Present = ReturnType<typeof createPresenter>;

export interface PresenterDeps extends Parts {
  readonly inbox: Pick<Inbox, "postOf">;
  readonly live: Pick<Live, "onStream" | "openedElsewhere">;
  readonly covers: Pick<Covers, "pathOf">;
}

export function createPresenter(deps: PresenterDeps) {
  const { accounts, sources, hub, live, covers, clock } = deps;

  /** The name that a source has in a language; what is no source's name stays. */
  const named = (name: string, language: Language): string => {
    const source = sources.all.find((one) => one.name === name);
    return source ? sourceName(source, languages[language]) : name;
  };

  const trackOf = (playback: Playback, userId: number, language: Language) => {
    const [artwork] = playback.album.artworks;
    const whereNames = [playback.device.name, playback.source];
    return {
      title: playback.track.title,
      artist: artistNames(playback),
      album: playback.album.name,
      /** Path of the cover on this server. */
      art: artwork ? covers.pathOf(artwork, userId) : null,
      // Without a known position there is no bar.
      durationMs: playback.positionUnknown ? null : playback.track.durationMs,
      positionMs: Math.round(positionAt(playback, clock.monotonicMs())),
      playing: playback.state === "playing",
      /** Milliseconds of track per millisecond while it plays. */
      rate: playback.rate,
      /** Player and source, such as `Kitchen · Spotify`. */
      where: [...new Set(whereNames.map((name) => named(name, language)))].join(" · "),
    };
  };

  const privacyOf = (userId: number, language: Language, current: Playback | null) => {
    const words = languages[language].dashboard.home;
    const rules = accounts.privacy.of(userId);
    const isPaused = isSharingPaused(rules, clock.wallMs());
    const isHidden = current !== null && hidesTrack(rules, current);
    return {
      /** Whether nothing at all is shown to others. */
      isPaused,
      /** Whether the track is hidden by rules. */
      isHidden,
      /** Says why the track is hidden from others; empty when it is not. */
      privacy: sentence(),
    };

    function sentence(): string {
      if (!isPaused) return isHidden ? words.hiddenByRules : "";
      const { pausedUntil } = rules;
      if (pausedUntil === null || pausedUntil === UNTIL_RESUMED) return words.sharingPaused;
      const time = formatTime(language, pausedUntil, clock.wallMs());
      return fill(words.sharingPausedUntil, { time });
    }
  };

  const presenceOf = (userId: number, language: Language): string => {
    const { dashboard, elsewhere } = languages[language];
    if (live.onStream(userId) > 0) return dashboard.home.onStream;
    const other = live.openedElsewhere(userId);
    if (other === undefined) return dashboard.home.notOnStream;
    return fill(elsewhere.overlay, { base: deps.baseUrl, other });
  };

  return async ({ id }: Pick<User, "id">, language: Language) => {
    const { widget } = languages[language];
    const music = musicOf(id, accounts, sources);
    const current = hub.rawPlayback(id) ?? null;
    const overlays = live.onStream(id);
    const label = current?.state === "playing" ? widget.nowPlaying : widget.paused;
    const readings = hub.readingsOf(id);
    return {
      /** The heading, such as "Now playing". */
      label: current ? label : widget.nothingPlaying,
      /** The current track, even if it is hidden from others. */
      track: current && trackOf(current, id, language),
      ...privacyOf(id, language, current),
      /** The HTML of a line for each connection that needs its user; empty when none does. */
      attention: await Attention({
        place: { language, basePath: deps.basePath },
        music,
        nowMs: clock.wallMs(),
      }),
      showsOwnMusic: hasOwnMusic(music),
      /** The number of overlays on stream. */
      overlays,
      /** Each connection by its public id, with the HTML of what changes in its row, folded and open. */
      connections: await Promise.all(
        music.map(async (one) => {
          const reader = { language, words: languages[language] };
          const part = { deps, reader, music: one, all: music, readings };
          return {
            id: String(one.connection.publicId),
            row: await RowPart(part),
            html: await LivePart(part),
            /** Whether a song of it has come at any time. */
            hasWorked: one.connection.hasWorked,
          };
        }),
      ),
      presence: presenceOf(id, language),
    };
  };
}
