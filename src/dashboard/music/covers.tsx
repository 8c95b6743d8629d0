import { choiceOf, fieldOf } from "../../http/form-field.ts";
import { Html } from "../../jsx.ts";
import { Choice, Form } from "../form.tsx";
import { ConnectionChoice } from "./connection-choice.tsx";
import { parseConnectionId } from "../../music/connection-reads.ts";
import type { ConnectedMusic } from "../../sources/connected-music.ts";
import type { DashboardRequest } from "../request.ts";
import { type ActionResult, done, GONE, isMade, type MusicDeps, type MusicView } from "./view.ts";

/** The user's choice whether covers are looked for elsewhere, and for which connections they replace its own. */

/** Stores the choice, where the owner lets users choose. */
export async function saveCovers(
  { accounts, settings }: MusicDeps,
  { user, words }: DashboardRequest,
  form: FormData,
): Promise<ActionResult> {
  const searchesCovers = choiceOf(form, "covers", { on: true, off: false });
  if (settings.config.coverSearch.length === 0 || searchesCovers === undefined) return GONE;
  await accounts.privacy.change(user, { searchesCovers });
  return done(words.dashboard.music.covers.saved);
}

/** Stores whether covers that are found replace those of one connection. */
export async function saveCoversOf(
  { accounts }: MusicDeps,
  { user, words }: DashboardRequest,
  form: FormData,
): Promise<ActionResult> {
  const id = parseConnectionId(fieldOf(form, "target"));
  const isOn = choiceOf(form, "covers", { found: true, own: false });
  if (id === undefined || isOn === undefined) return GONE;
  const isSaved = await isMade(accounts.connections.replaceCovers(user, id, isOn));
  return isSaved ? done(words.dashboard.music.covers.saved) : GONE;
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

/** The choice of one connection, folded away on its card; nothing where no covers are looked for. */
export function CoversOf({ view, one }: { view: MusicView; one: ConnectedMusic }): JSX.Element {
  const { deps, request } = view;
  const { covers: t } = request.words.dashboard.music;
  const { searchesCovers, replacesCoversOf } = deps.accounts.privacy.of(request.user.id);
  if (deps.settings.config.coverSearch.length === 0 || !searchesCovers) return <></>;
  return (
    <ConnectionChoice
      request={request}
      one={one}
      name="covers"
      chosen={replacesCoversOf.has(one.connection.id) ? "found" : "own"}
      options={[
        { value: "own", label: t.own },
        { value: "found", label: t.found },
      ]}
    />
  );
}
