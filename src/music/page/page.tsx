import { PAGE_WAITS_MS } from "../../channels/first-answer.ts";
import { dashboardAddress } from "../../addresses.ts";
import { musicScript } from "../../html/assets.ts";
import { htmlResponse } from "../../html/html.tsx";
import { fill } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { MOST_CONNECTIONS } from "../connections.ts";
import type { Found } from "../../sources/here/players-here.ts";
import { isLinked, type Source } from "../../sources/source.ts";
import { dashboardPage } from "../../dashboard/frame.tsx";
import { mayConnect } from "../connect-actions.ts";
import { ConnectedCard } from "./connected-card.tsx";
import { connectForm, ConnectionForm, isNamed } from "./connection-form.tsx";
import { CoversSection } from "./covers.tsx";
import { formOf } from "../../dashboard/action-form.tsx";
import { enterApp } from "../../linking/actions.ts";
import { FoundList, FoundSection, SEARCH } from "./found.tsx";
import { LinkControls } from "./link-controls.tsx";
import { type Offer, Offers } from "./offers.tsx";
import { TitlesSection } from "./titles.tsx";
import type { MusicView } from "./view.ts";

/** The page of the user's connections, and of the sources that can be connected. */
export async function musicPage(view: MusicView): Promise<Response> {
  const { deps, request, music } = view;
  const { words, user, query } = request;
  const { music: t } = words.dashboard;
  const isOwner = user.role === "owner";
  const search = isOwner ? query.get(SEARCH.name) : null;
  const chosen = deps.sources.byId(query.get("choose") ?? "");
  const here =
    search !== null || (isOwner && chosen?.findHere) ? await deps.sources.playersHere() : [];
  const list =
    search === null ? undefined : <FoundList request={request} found={here} music={music} />;
  if (list !== undefined && search === SEARCH.listOnly) return htmlResponse(list);
  if (music.length > 1) await deps.hub.read(user.id, PAGE_WAITS_MS);
  const readings = deps.hub.readingsOf(user.id);
  const found = here.find(({ source }) => source === chosen);
  return dashboardPage({
    request,
    title: words.dashboard.sections.music,
    lead: t.lead,
    scripts: [musicScript.path],
    children: (
      <>
        <div data-live={dashboardAddress(request.basePath, request.language, "/live")}>
          {music.map((one) => (
            <ConnectedCard view={view} one={one} readings={readings} />
          ))}
        </div>
        {music.length > 0 && (
          <p class="hint" safe>
            {fill(t.several, { most: String(MOST_CONNECTIONS) })}
          </p>
        )}
        {isOwner && <FoundSection request={request} list={list} />}
        <h2 class="between" safe>
          {music.length > 0 ? t.others : t.choose}
        </h2>
        <Offers request={request} offers={offersOf(view, chosen, found)} />
        <TitlesSection view={view} />
        {deps.settings.config.coverSearch.length > 0 && <CoversSection view={view} />}
      </>
    ),
  });
}

/**
 * The sources that the user can connect.
 * @param found what was found on this machine of the chosen source: its address is filled in
 */
function offersOf(view: MusicView, chosen: Source | undefined, found: Found | undefined): Offer[] {
  const { deps, request, music } = view;
  const { refused } = request;
  const { music: t } = request.words.dashboard;
  const offered = deps.sources.all.filter(
    (source) =>
      mayConnect(request.user, source) &&
      // A second demo would play the same.
      !(source.id === "demo" && music.some((one) => one.source === source)),
  );
  return offered.map((source) => {
    const same = music.filter((one) => one.source === source);
    const isFirst = same.length === 0;
    const isAnother = same.some((one) => !isNamed(one));
    const adding = {
      ...{ request, source, isAnother },
      found: found?.source === source ? found.settings : undefined,
    };
    const refusedForm = isLinked(source)
      ? isFirst && formOf(request, enterApp, { source: source.id }).refused
      : connectForm(adding).refused;
    const label = fill(t.link, { source: source.name });
    return {
      source,
      isConnected: !isFirst,
      isOpen: refused ? Boolean(refusedForm) : source === chosen,
      form: !isLinked(source) ? (
        <ConnectionForm {...adding} />
      ) : isAnother ? (
        <p safe>{t.nameFirst}</p>
      ) : (
        <LinkControls request={request} source={source} label={label} isFirst={isFirst} />
      ),
    };
  });
}
