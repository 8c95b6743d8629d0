import { hideTitle, pauseSharing, resumeSharing } from "../../accounts/privacy-actions.ts";
import { ActionButton, ActionForm, formOf } from "../../dashboard/action-form.tsx";
import { attribute } from "../../html/attribute.ts";
import { Html } from "../../jsx.ts";
import { Attention } from "./attention.tsx";
import { Song } from "./song.tsx";
import { Handle, Looks, Scene } from "./stage.tsx";
import { TestTrack } from "./test-track.tsx";
import type { ViewProps } from "./view.ts";
import { Submit } from "../../html/parts.tsx";

/** What a streamer does while being live. */
export function ControlDesk({ view }: ViewProps): JSX.Element {
  const { request, state } = view;
  return (
    <>
      <Scene view={view} />
      <p
        class={`status ${state.overlays > 0 ? "good" : "idle"}`}
        role="status"
        data-live-presence
        safe
      >
        {state.presence}
      </p>
      <Attention state={state} />
      <section class="desk">
        <Song request={request} state={state} />
        <div class="controls">
          <HideThis view={view} />
          <PauseOrResume view={view} />
          <TestTrack request={request} />
        </div>
      </section>
      <Looks view={view} />
      <Handle view={view} />
    </>
  );
}

/** Hides the song that plays. Its name is that of the page, and the script's once another one plays. */
function HideThis({ view: { request, state } }: ViewProps): JSX.Element {
  const form = formOf(request, hideTitle);
  return (
    <ActionForm form={form} class="while-shown">
      <input
        type="hidden"
        name="title"
        value={attribute(state.track?.title ?? "")}
        data-live-value="title"
      />
      <Submit label={request.words.dashboard.home.hide} class="quiet" />
    </ActionForm>
  );
}

function PauseOrResume({ view: { request } }: ViewProps): JSX.Element {
  const { privacy, home } = request.words.dashboard;
  return (
    <>
      <div class="while-paused">
        <ActionButton form={formOf(request, resumeSharing)} label={privacy.resume} />
      </div>
      <details class="choice while-sharing">
        <summary class="button quiet" safe>
          {home.pause}
        </summary>
        <ActionForm form={formOf(request, pauseSharing)} class="">
          <Submit name="for" value="hour" class="quiet" label={privacy.pauseHour} />
          <Submit name="for" value="long" class="quiet" label={privacy.pauseLong} />
        </ActionForm>
      </details>
    </>
  );
}
