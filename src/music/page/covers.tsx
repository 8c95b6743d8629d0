import { searchCovers, setCoversOfConnection } from "../../covers/actions.ts";
import { Html } from "../../jsx.ts";
import { rowQuery } from "../connection-row.ts";
import type { ConnectedMusic } from "../../sources/connected-music.ts";
import { ActionForm, ChoiceInput, formOf } from "../../dashboard/action-form.tsx";
import { ConnectionChoice } from "./connection-choice.tsx";
import type { MusicView } from "./view.ts";
import { Submit, Titled } from "../../html/parts.tsx";

/** The part of the page about covers. It says who is asked, and what they learn. */
export function CoversSection({ view }: { readonly view: MusicView }): JSX.Element {
  const { deps, request } = view;
  const { covers: t } = request.words.dashboard.music;
  const { searchesCovers } = deps.accounts.privacy.of(request.user.id);
  const form = formOf(request, searchCovers);
  return (
    <Titled title={t.title} id="covers">
      <p safe>{t.lead}</p>
      {deps.settings.config.coverSearch.includes("deezer") && <p safe>{t.deezer}</p>}
      <ActionForm form={form} class="form wide">
        <ChoiceInput
          form={form}
          name="search"
          label={t.label}
          value={searchesCovers ? "on" : "off"}
          options={[
            { value: "on", label: t.on },
            { value: "off", label: t.off },
          ]}
        />
        <div class="actions">
          <Submit label={t.save} class="quiet" />
        </div>
      </ActionForm>
    </Titled>
  );
}

/** The choice of one connection, folded away in its row; nothing where no covers are looked for. */
export function CoversOf({ view, one }: { view: MusicView; one: ConnectedMusic }): JSX.Element {
  const { deps, request } = view;
  const { covers: t } = request.words.dashboard.music;
  const { id, publicId } = one.connection;
  const { searchesCovers, replacesCoversOf } = deps.accounts.privacy.of(request.user.id);
  if (deps.settings.config.coverSearch.length === 0 || !searchesCovers) return <></>;
  return (
    <ConnectionChoice
      form={formOf(request, setCoversOfConnection, { id: publicId })}
      words={t}
      at={rowQuery(one.connection)}
      name="covers"
      value={replacesCoversOf.has(id) ? "found" : "own"}
      options={[
        { value: "own", label: t.own },
        { value: "found", label: t.found },
      ]}
    />
  );
}
