import { PAGE_WAITS_MS } from "./first-answer.ts";
import { endFirstSteps } from "../accounts/user-actions.ts";
import { dashboardAddress, widgetAddress } from "../addresses.ts";
import { Html } from "../jsx.ts";
import { icon, nowPlayingScript } from "../html/assets.ts";
import { HiddenCopyable } from "../html/parts.tsx";
import { ActionForm, formOf } from "../dashboard/action-form.tsx";
import { dashboardPage } from "../dashboard/frame.tsx";
import type { DashboardState, Presenter } from "../dashboard/state.ts";
import type { DashboardRequest, Section } from "../dashboard/request.ts";
import { pathTo } from "../html/section-paths.ts";
import type { Parts } from "../http/parts.ts";

export interface NowPlayingDeps extends Pick<Parts, "accounts" | "hub"> {
  readonly presenter: Presenter;
}

/** The first page: the current playback, live, and the first steps for new users. */
export function createSection(deps: NowPlayingDeps): Section {
  return {
    async show(request) {
      const { words, user, language, baseUrl } = request;
      await deps.hub.read(user.id, PAGE_WAITS_MS);
      const state = await deps.presenter.present(user, language);
      const token = await deps.accounts.widgets.overlayTokenOf(user);
      const widgetUrl = token && widgetAddress(baseUrl, language, token);
      return dashboardPage({
        request,
        title: words.dashboard.sections.overlay,
        scripts: [nowPlayingScript.path],
        children: (
          <>
            {user.welcomedAt === null && (
              <FirstSteps request={request} state={state} widgetUrl={widgetUrl} />
            )}
            <Playing request={request} state={state} />
            <Health request={request} state={state} />
            <Overlays request={request} state={state} />
          </>
        ),
      });
    },
  };
}

interface PartProps {
  readonly request: DashboardRequest;
  readonly state: DashboardState;
}

function FirstSteps(props: PartProps & { widgetUrl: string | undefined }): JSX.Element {
  const { request, state, widgetUrl } = props;
  const { firstSteps } = request.words.dashboard;
  const { showsOwnMusic, overlays, connections } = state;
  return (
    <section class="first-steps">
      <h2 safe>{firstSteps.title}</h2>
      <ol class="steps">
        <li {...(showsOwnMusic && { class: "done" })}>
          <strong safe>{firstSteps.music}</strong>
          {!showsOwnMusic && connections.length > 0 && <p safe>{firstSteps.musicText}</p>}
          <p class="actions">
            <a class="button quiet" href={pathTo(request, "music")} safe>
              {firstSteps.musicAction}
            </a>
          </p>
        </li>
        <li data-live-class="overlays" {...(overlays > 0 && { class: "done" })}>
          <strong safe>{firstSteps.widget}</strong>
          {widgetUrl !== undefined && (
            <>
              <p safe>{firstSteps.widgetText}</p>
              <HiddenCopyable
                language={request.language}
                label={firstSteps.widget}
                text={widgetUrl}
              />
            </>
          )}
          <p class="actions">
            <a class="button quiet" href={pathTo(request, "widget")} safe>
              {firstSteps.widgetAction}
            </a>
          </p>
        </li>
      </ol>
      <ActionForm form={formOf(request, endFirstSteps)}>
        <button type="submit" class="quiet" safe>
          {showsOwnMusic && overlays > 0 ? firstSteps.done : firstSteps.skip}
        </button>
      </ActionForm>
    </section>
  );
}

function Playing({ request, state }: PartProps): JSX.Element {
  const { words, basePath, language } = request;
  const { track } = state;
  return (
    <section
      class="playing"
      data-live={dashboardAddress(basePath, language, "/live")}
      data-track={track ? "" : undefined}
    >
      <img
        class="cover"
        alt=""
        width="144"
        height="144"
        data-live-art
        // An image needs an address to be valid HTML, even while it is hidden.
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

function Health({ request, state }: PartProps): JSX.Element {
  const { tone, text, linkAgain } = state.status;
  return (
    <section class="health">
      <h2 safe>{request.words.dashboard.nowPlaying.connection}</h2>
      <p class={`status ${tone}`} data-live-tone data-live-text="health" safe>
        {text}
      </p>
      <p class="actions" data-live-action hidden={!linkAgain}>
        <a class="button" href={pathTo(request, "music")} safe>
          {request.words.dashboard.nowPlaying.linkAgain}
        </a>
      </p>
    </section>
  );
}

function Overlays({ request, state }: PartProps): JSX.Element {
  const { nowPlaying } = request.words.dashboard;
  return (
    <section>
      <h2 safe>{nowPlaying.overlay}</h2>
      <p class={`status ${state.overlays > 0 ? "good" : "idle"}`} data-live-presence safe>
        {state.presence}
      </p>
      <p class="actions">
        <a class="button quiet" href={pathTo(request, "widget")} safe>
          {nowPlaying.openWidget}
        </a>
      </p>
    </section>
  );
}
