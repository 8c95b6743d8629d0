import type { DashboardRequest } from "../../dashboard/request.ts";
import { pathTo } from "../../html/section-paths.ts";
import { Html } from "../../jsx.ts";
import { type FoundListProps, FoundRows, offeredOf, SEARCH } from "../../music/page/found.tsx";

/** So many that one of them is surely meant. */
const MOST_SHOWN = 3;

/** Players on this machine, each with what it plays and a button that connects it. */
export function FoundPlayers({ request, found, music }: FoundListProps): JSX.Element {
  const offered = offeredOf(found, music).slice(0, MOST_SHOWN);
  if (offered.length === 0) return <></>;
  return <FoundRows request={request} found={offered} music={music} />;
}

interface FoundSectionProps {
  readonly request: DashboardRequest;
  readonly players: JSX.Element | undefined;
}

/** The place of the found players. The page's script looks for them, or whoever has no script. */
export function FoundSection({ request, players }: FoundSectionProps): JSX.Element {
  const { found: t } = request.words.dashboard.music;
  const search = `${pathTo(request, request.section)}?${SEARCH.name}=`;
  return (
    <div class="players" aria-live="polite" data-found={search + SEARCH.listOnly}>
      {players !== undefined ? (
        (players as "safe")
      ) : (
        <noscript>
          <a href={search + SEARCH.here} safe>
            {t.look}
          </a>
        </noscript>
      )}
    </div>
  );
}
