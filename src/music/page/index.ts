import type { DashboardRequest, Section } from "../../dashboard/request.ts";
import { fieldOf } from "../../http/form-field.ts";
import { musicOf } from "../../sources/connected-music.ts";
import { PHRASE_PLACES } from "../../titles/phrases.ts";
import { musicPage } from "./page.tsx";
import { TRY_TITLES, tryTitles } from "./titles.tsx";
import type { MusicDeps, TriedTitles } from "./view.ts";

/** The page of the user's connections: connecting, linking again, disconnecting. */
export function createSection(deps: MusicDeps): Section {
  const page = async (request: DashboardRequest, tried?: TriedTitles): Promise<Response> => {
    const music = musicOf(request.user.id, deps.accounts, deps.sources);
    return musicPage({ deps, request, music, tried });
  };

  return {
    longFields: PHRASE_PLACES,
    show: (request) => page(request),
    async act(request, form) {
      if (fieldOf(form, "do") !== TRY_TITLES) return page(request);
      const shown = await tryTitles(deps, request, form);
      return page(shown.request, shown.tried);
    },
  };
}
