import type { Accounts } from "../../accounts/accounts.ts";
import { Html } from "../../jsx.ts";
import type { Hub } from "../../channels/hub.ts";
import { icon, nowPlayingScript } from "../assets.ts";
import { Copyable } from "../parts.tsx";
import { Form } from "./form.tsx";
import { dashboardPage } from "./frame.tsx";
import type { DashboardState, Presenter } from "./state.ts";
import { type Notice, pathTo, type Section, type Visit } from "./request.ts";

export interface NowPlayingDeps {
  readonly accounts: Pick<Accounts, "users" | "widgets">;
  readonly hub: Pick<Hub, "read">;
  readonly presenter: Presenter;
}

/** A page is not held back longer than this for a source that has not been listened to until now. */
const FIRST_WORD_MS = 80;

/** What Marquee hears, live, and for newcomers the first steps. */
export function createNowPlaying(deps: NowPlayingDeps): Section {
  return {
    async show(visit) {
      const { words, user, language, baseUrl } = visit;
      await deps.hub.read(user.id, FIRST_WORD_MS);
      const state = await deps.presenter.present(user, language);
      const token = await deps.accounts.widgets.tokenOf(user);
      const widgetUrl = `${baseUrl}/${language}/widget/${token}`;
      return dashboardPage({
        visit,
        title: words.dashboard.sections.nowPlaying,
        scripts: [nowPlayingScript.path],
        children: (
          <>
            {user.welcomedAt === null ? (
              <FirstSteps visit={visit} state={state} widgetUrl={widgetUrl} />
            ) : (
              ""
            )}
            <Playing visit={visit} state={state} />
            <Health visit={visit} state={state} />
            <Overlays visit={visit} state={state} />
          </>
        ),
      });
    },

    async act({ user, words }): Promise<Notice> {
      await deps.accounts.users.welcome(user);
      return { tone: "good", text: words.dashboard.firstSteps.over };
    },
  };
}

interface PartProps {
  readonly visit: Visit;
  readonly state: DashboardState;
}

function FirstSteps(props: PartProps & { widgetUrl: string }): JSX.Element {
  const { visit, state, widgetUrl } = props;
  const { firstSteps } = visit.words.dashboard;
  const { hearsOwnMusic, overlays } = state;
  return (
    <section class="first-steps">
      <h2 safe>{firstSteps.title}</h2>
      <ol class="steps">
        <li {...(hearsOwnMusic && { class: "done" })}>
          <strong safe>{firstSteps.music}</strong>
          <p safe>{firstSteps.musicText}</p>
          <p class="actions">
            <a class="button quiet" href={pathTo(visit, "music")} safe>
              {firstSteps.musicAction}
            </a>
          </p>
        </li>
        <li data-live-class="overlays" {...(overlays > 0 && { class: "done" })}>
          <strong safe>{firstSteps.widget}</strong>
          <p safe>{firstSteps.widgetText}</p>
          <Copyable language={visit.language} text={widgetUrl} />
          <p class="actions">
            <a class="button quiet" href={pathTo(visit, "widget")} safe>
              {firstSteps.widgetAction}
            </a>
          </p>
        </li>
      </ol>
      <Form visit={visit} does="welcome">
        <button type="submit" class="quiet" safe>
          {hearsOwnMusic && overlays > 0 ? firstSteps.done : firstSteps.skip}
        </button>
      </Form>
    </section>
  );
}

function Playing({ visit, state }: PartProps): JSX.Element {
  const { words, basePath, language } = visit;
  const { track } = state;
  return (
    <section
      class="playing"
      data-live={`${basePath}/${language}/dashboard/live`}
      data-track={track ? "" : undefined}
    >
      <img
        class="cover"
        alt=""
        width="144"
        height="144"
        data-live-art
        // Without an address it would not be valid, not even while it is hidden.
        src={track?.art ?? basePath + icon.path}
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
          aria-label={words.dashboard.nowPlaying.position}
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
    </section>
  );
}

function Health({ visit, state }: PartProps): JSX.Element {
  const { tone, text, linkAgain } = state.health;
  return (
    <section class="health">
      <h2 safe>{visit.words.dashboard.nowPlaying.connection}</h2>
      <p class={`status ${tone}`} data-live-tone data-live-text="health" safe>
        {text}
      </p>
      <p class="actions" data-live-action hidden={!linkAgain}>
        <a class="button" href={pathTo(visit, "music")} safe>
          {visit.words.dashboard.nowPlaying.linkAgain}
        </a>
      </p>
    </section>
  );
}

function Overlays({ visit, state }: PartProps): JSX.Element {
  const { nowPlaying } = visit.words.dashboard;
  return (
    <section class="overlays">
      <h2 safe>{nowPlaying.overlay}</h2>
      <p
        class={`status ${state.overlays > 0 ? "good" : "idle"}`}
        data-live-presence
        data-live-text="presence"
        safe
      >
        {state.presence}
      </p>
      <p class="actions">
        <a class="button quiet" href={pathTo(visit, "widget")} safe>
          {nowPlaying.openWidget}
        </a>
      </p>
    </section>
  );
}
