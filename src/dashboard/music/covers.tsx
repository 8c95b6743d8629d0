import { fieldOf } from "../../http/form-field.ts";
import { Html } from "../../jsx.ts";
import { Choice, Form } from "../form.tsx";
import type { DashboardRequest } from "../request.ts";
import { type ActionResult, done, GONE, type MusicDeps, type MusicView } from "./view.ts";

/** The user's choice whether covers are looked for that the player does not have. */

/** Stores the choice, where the owner lets users choose. */
export async function saveCovers(
  { accounts, settings }: MusicDeps,
  { user, words }: DashboardRequest,
  form: FormData,
): Promise<ActionResult> {
  const searchesCovers = { on: true, off: false }[fieldOf(form, "covers")];
  if (settings.config.coverSearch.length === 0 || searchesCovers === undefined) return GONE;
  await accounts.privacy.change(user, { searchesCovers });
  return done(words.dashboard.music.covers.saved);
}

/** The part of the page about covers. It says who is asked, and what they learn. */
export function CoversSection({ view }: { readonly view: MusicView }): JSX.Element {
  const { deps, request } = view;
  const { covers: t } = request.words.dashboard.music;
  const { searchesCovers } = deps.accounts.privacy.of(request.user.id);
  return (
    <section id="covers">
      <h2 safe>{t.title}</h2>
      <p safe>{t.lead}</p>
      {deps.settings.config.coverSearch.includes("deezer") && <p safe>{t.deezer}</p>}
      <Form request={request} action="covers" class="form wide">
        <>
          <Choice
            id="covers-search"
            name="covers"
            label={t.label}
            chosen={searchesCovers ? "on" : "off"}
            options={[
              { value: "on", label: t.on },
              { value: "off", label: t.off },
            ]}
          />
          <div class="actions">
            <button type="submit" safe>
              {t.save}
            </button>
          </div>
        </>
      </Form>
    </section>
  );
}
