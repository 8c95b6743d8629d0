import { PAGE_WAITS_MS } from "../../channels/first-answer.ts";
import { dashboardAddress } from "../../addresses.ts";
import { dashboardPage } from "../../dashboard/frame.tsx";
import type { DashboardRequest, Section } from "../../dashboard/request.ts";
import type { Present } from "../../dashboard/state.ts";
import { homeScript, intoObsScript, nightScene } from "../../html/assets.ts";
import { htmlResponse } from "../../html/html.tsx";
import { fieldOf } from "../../http/form-field.ts";
import { RESTORE, restore } from "./restore.tsx";
import type { Parts } from "../../http/parts.ts";
import { Html } from "../../jsx.ts";
import { SEARCH } from "../../music/page/found.tsx";
import { musicOf } from "../../sources/connected-music.ts";
import { ControlDesk } from "./control-desk.tsx";
import { FirstVisit } from "./first-visit.tsx";
import { FoundPlayers } from "./found-players.tsx";
import { stagedOverlay } from "./staged-overlay.ts";
import type { HomeView } from "./view.ts";

export interface HomeDeps extends Pick<Parts, "accounts" | "hub" | "sources" | "restorer"> {
  readonly present: Present;
}

/** The first page: the overlay as it is on stream. New users are led there, others have their controls. */
export function createSection(deps: HomeDeps): Section {
  const playersFor = async (request: DashboardRequest): Promise<JSX.Element> => {
    const found = await deps.sources.playersHere();
    const music = musicOf(request.user.id, deps.accounts, deps.sources);
    return <FoundPlayers request={request} found={found} music={music} />;
  };

  const show: Section["show"] = async (request) => {
    const { words, user, language, basePath, query } = request;
    const isOwner = user.role === "owner";
    const search = isOwner ? query.get(SEARCH.name) : null;
    if (search === SEARCH.listOnly) return htmlResponse(await playersFor(request));
    await deps.hub.read(user.id, PAGE_WAITS_MS);
    const view: HomeView = {
      request,
      state: await deps.present(user, language),
      overlay: await stagedOverlay(deps.accounts, request),
    };
    const { state } = view;
    const isNew = user.welcomedAt === null;
    return dashboardPage({
      request,
      title: words.dashboard.home.title,
      scripts: [homeScript.path, intoObsScript.path],
      children: (
        <div
          class="home"
          style={`--scene:url(${basePath}${nightScene.path})`}
          data-live={dashboardAddress(basePath, language, "/live")}
          data-new={isNew}
          data-track={state.track !== null}
          data-paused={state.isPaused}
          data-hidden={state.isHidden}
          data-on-stream={state.overlays > 0}
        >
          {isNew ? (
            <FirstVisit
              view={view}
              isOwner={isOwner}
              players={search === null ? undefined : await playersFor(request)}
              restorer={deps.restorer}
            />
          ) : (
            <ControlDesk view={view} />
          )}
        </div>
      ),
    });
  };

  return {
    show,
    act: (request, form) =>
      fieldOf(form, "do") === RESTORE.name
        ? restore(deps.restorer, request, form, show)
        : show(request),
  };
}
