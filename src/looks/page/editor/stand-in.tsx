import { LARGEST_PICTURE, LONGEST_SIDE_PX } from "../../../artwork/uploaded-picture.ts";
import { Confirm, Labelled } from "../../../dashboard/form.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { attribute } from "../../../html/attribute.ts";
import { fill } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";

/** The user's picture for tracks without a cover, which the script shows, and a form that sets it. */
export function StandIn({ request }: { readonly request: DashboardRequest }): JSX.Element {
  const { refused, dashboard } = request.words;
  const { standIn: t } = dashboard.widget.editor;
  return (
    <details class="group fonts" data-stand-in>
      <summary>
        <h2 safe>{t.title}</h2>
      </summary>
      <div class="rows">
        <p class="hint" safe>
          {fill(t.text, { side: String(LONGEST_SIDE_PX) })}
        </p>
        <ul>
          <li data-current data-alternative={attribute(t.current)} hidden>
            <Confirm label={t.remove} consequence={t.removeText}>
              <button type="button" class="bad" data-remove safe>
                {t.removeGo}
              </button>
            </Confirm>
          </li>
        </ul>
        <form
          class="form"
          method="dialog"
          data-largest={String(LARGEST_PICTURE)}
          data-too-large={attribute(refused.cover.tooLarge)}
        >
          <>
            <Labelled id="stand-in-file" label={t.file}>
              <input
                id="stand-in-file"
                name="file"
                type="file"
                accept="image/png,image/jpeg,image/webp"
                required
              />
            </Labelled>
            <p class="actions">
              <button type="submit" class="quiet" safe>
                {t.save}
              </button>
            </p>
          </>
        </form>
        <p
          class="outcome"
          role="status"
          data-outcome
          data-saved={attribute(t.saved)}
          data-removed={attribute(t.removed)}
        />
      </div>
    </details>
  );
}
