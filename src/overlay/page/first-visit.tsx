import { endFirstSteps } from "../../accounts/user-actions.ts";
import { ActionForm, formOf } from "../../dashboard/action-form.tsx";
import { Tiles } from "../../dashboard/music/tiles.tsx";
import { pathTo } from "../../html/section-paths.ts";
import { Html } from "../../jsx.ts";
import { Attention } from "./attention.tsx";
import { FoundSection } from "./found-players.tsx";
import type { BackupRestorer } from "../../vault/backup-restorer.ts";
import { RestoreForm } from "./restore.tsx";
import { Song } from "./song.tsx";
import { Handle, Looks, Scene } from "./stage.tsx";
import { TestTrack } from "./test-track.tsx";
import type { HomeView, ViewProps } from "./view.ts";
import { LinkButton, Submit } from "../../html/parts.tsx";

interface FirstVisitProps extends ViewProps {
  /** Players are looked for on the machine of the owner. */
  readonly isOwner: boolean;
  /** The players that were found; `undefined` before anybody has looked. */
  readonly players: JSX.Element | undefined;
  readonly restorer: BackupRestorer;
}

/** What a new user does next: one thing at a time. */
export function FirstVisit({ view, isOwner, players, restorer }: FirstVisitProps): JSX.Element {
  const { request, state } = view;
  const { home, music } = request.words.dashboard;
  return (
    <>
      <Scene view={view} />
      <Looks view={view} />
      {state.showsOwnMusic && <OnStream request={request} />}
      <Handle view={view} />
      {state.showsOwnMusic ? (
        <>
          <Attention state={state} />
          <section class="desk">
            <Song request={request} state={state} />
            <LinkButton label={music.add} href={pathTo(request, "music")} />
          </section>
        </>
      ) : (
        <div class="question">
          <h2 safe>{home.question}</h2>
          {isOwner && <FoundSection request={request} players={players} />}
          <Tiles request={request} />
        </div>
      )}
      <EndFirstSteps view={view} />
      {isOwner && restorer.mayRestore() && (
        <RestoreForm request={request} needsKey={restorer.needsKey} />
      )}
    </>
  );
}

/** Waits for OBS, and turns green by itself. */
function OnStream({ request }: Pick<HomeView, "request">): JSX.Element {
  const { home } = request.words.dashboard;
  return (
    <div class="on-stream" role="status">
      <i aria-hidden="true" />
      <h2 class="while-off" safe>
        {home.putOnStream}
      </h2>
      <h2 class="while-on" safe>
        {home.isOnStream}
      </h2>
      <TestTrack request={request} isHidden />
    </div>
  );
}

function EndFirstSteps({ view: { request, state } }: ViewProps): JSX.Element {
  const { home } = request.words.dashboard;
  return (
    <ActionForm form={formOf(request, endFirstSteps)} class="end">
      {state.showsOwnMusic && <Submit class="while-on" label={home.done} />}
      <Submit class={state.showsOwnMusic ? "plain while-off" : "plain"} label={home.skip} />
    </ActionForm>
  );
}
