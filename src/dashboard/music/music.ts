import { fieldOf } from "../../http/form-field.ts";
import { musicOf } from "../../sources/connected-music.ts";
import type { DashboardRequest, Section } from "../request.ts";
import { type Action, disconnect, enterApp, move, rename, rotate } from "./actions.ts";
import { connect } from "./connect.ts";
import { musicPage } from "./page.tsx";
import { TRY_TITLES, tryTitles } from "./titles.tsx";
import { type ActionResult, GONE, type MusicDeps, type TriedTitles } from "./view.ts";
import { PHRASE_PLACES } from "../../titles/phrases.ts";

/** The actions by the name that a form sends. */
const ACTIONS = new Map<string, Action>([
  ["connect", connect],
  ["disconnect", disconnect],
  ["rename", rename],
  ["up", move],
  ["down", move],
  ["place", move],
  ["rotate", rotate],
  ["app", enterApp],
]);

/** The page of the user's connections: connecting, linking again, disconnecting. */
export function createSection(deps: MusicDeps): Section {
  const page = async (
    request: DashboardRequest,
    result: ActionResult,
    tried?: TriedTitles,
  ): Promise<Response> =>
    musicPage({
      deps,
      request,
      music: await musicOf(request.user.id, deps.accounts, deps.sources),
      refused: result.kind === "refused" ? result.refused : undefined,
      entered: result.kind === "app" ? result.entered : undefined,
      tried,
    });

  return {
    longFields: PHRASE_PLACES,
    show: (request) => page(request, GONE),
    async act(request, form) {
      if (fieldOf(form, "do") === TRY_TITLES) {
        const shown = await tryTitles(deps, request, form);
        return page(shown.request, GONE, shown.tried);
      }
      const action = ACTIONS.get(fieldOf(form, "do"));
      const result = action ? await action(deps, request, form) : GONE;
      return result.kind === "done" ? result.notice : page(request, result);
    },
  };
}
