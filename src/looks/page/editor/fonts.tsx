import { LARGEST_FONT, LONGEST_FONT_NAME, MOST_FONTS } from "../../fonts.ts";
import { fill } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { attribute } from "../../../html/attribute.ts";
import { Confirm, Field, Labelled } from "../../../dashboard/form.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";

/** The user's own fonts, which the script lists, and a form that adds one. */
export function Fonts({ request }: { readonly request: DashboardRequest }): JSX.Element {
  const { refused, dashboard } = request.words;
  const { fonts: t } = dashboard.widget.editor;
  return (
    <details class="group fonts" data-fonts>
      <summary>
        <h2 safe>{t.title}</h2>
      </summary>
      <div class="rows">
        <p class="hint" safe>
          {fill(t.text, { most: String(MOST_FONTS) })}
        </p>
        <ul data-font-list />
        <template data-font>
          <li>
            <strong />
            <Confirm label={t.remove} consequence={t.removeText}>
              <button type="button" class="bad" safe>
                {t.removeGo}
              </button>
            </Confirm>
          </li>
        </template>
        <form
          class="form"
          method="dialog"
          data-largest={String(LARGEST_FONT)}
          data-too-large={attribute(refused.font.tooLarge)}
        >
          <>
            <Field
              id="font-name"
              name="name"
              label={t.name}
              hint={t.nameHint}
              maxlength={LONGEST_FONT_NAME}
              required
            />
            <Labelled id="font-file" label={t.file}>
              <input id="font-file" name="file" type="file" accept=".woff2,font/woff2" required />
            </Labelled>
            <p class="actions">
              <button type="submit" class="quiet" safe>
                {t.add}
              </button>
            </p>
          </>
        </form>
        <p
          class="outcome"
          role="status"
          data-font-outcome
          data-added={attribute(t.added)}
          data-removed={attribute(t.removed)}
        />
      </div>
    </details>
  );
}
