import { icon } from "../../html/assets.ts";
import { Html } from "../../jsx.ts";
import type { HomeView } from "./view.ts";

/** The song that plays now, also while it is hidden from others. The page's script keeps it up to date. */
export function Song({ request, state }: Pick<HomeView, "request" | "state">): JSX.Element {
  const { track } = state;
  return (
    <div class="song">
      <img
        class="cover"
        alt=""
        width="96"
        height="96"
        data-live-art
        // An image needs an address to be valid HTML, even while it is hidden.
        src={track?.art ?? request.basePath + icon.path}
        hidden={!track?.art}
      />
      <div class="words">
        <p class="label" data-live-text="label" safe>
          {state.label}
        </p>
        <p class="title" dir="auto" data-live-text="title" safe>
          {track?.title ?? ""}
        </p>
        <p class="artist" dir="auto" data-live-text="artist" safe>
          {track?.artist ?? ""}
        </p>
        <p class="album" dir="auto" data-live-text="album" safe>
          {track?.album ?? ""}
        </p>
        <progress
          aria-label={request.words.dashboard.home.position}
          max={String(track?.durationMs || 1)}
          value={String(track?.positionMs ?? 0)}
          data-live-progress
          hidden={!track?.durationMs}
        />
        <p class="where" data-live-text="where" safe>
          {track?.where ?? ""}
        </p>
        <p class="hidden-note" data-live-text="privacy" safe>
          {state.privacy}
        </p>
      </div>
    </div>
  );
}
