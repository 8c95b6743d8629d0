import { type Font, LARGEST_FONT, MOST_FONTS } from "../../fonts.ts";
import { fill } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { attribute } from "../../../html/attribute.ts";
import { Confirm, Field, Form, Labelled } from "../../../dashboard/form.tsx";
import { pathTo } from "../../../html/section-paths.ts";
import { EditorQueryField, type EditorPartProps } from "./draft.tsx";
import { LONGEST_FONT_NAME } from "../../fonts.ts";

/** The user's own fonts, and a form that adds one. */
export function Fonts({
  request,
  fonts,
  ...draft
}: EditorPartProps & { readonly fonts: readonly Font[] }): JSX.Element {
  const { editor } = request.words.dashboard.widget;
  const t = editor.fonts;
  return (
    <details class="group fonts" data-fonts>
      <summary>
        <h2 safe>{t.title}</h2>
      </summary>
      <div class="rows">
        <p class="hint" safe>
          {fill(t.text, { most: String(MOST_FONTS) })}
        </p>
        <ul data-font-list>
          {fonts.map(({ id, name }) => (
            <li>
              <strong safe>{name}</strong>
              <Confirm label={t.remove} consequence={t.removeText}>
                <Form request={request} action="remove-font" target={id}>
                  <>
                    <EditorQueryField {...draft} />
                    <button
                      type="submit"
                      class="bad"
                      aria-label={attribute(`${t.removeGo}: ${name}`)}
                      safe
                    >
                      {t.removeGo}
                    </button>
                  </>
                </Form>
              </Confirm>
            </li>
          ))}
        </ul>
        <form
          class="form"
          method="post"
          enctype="multipart/form-data"
          action={`${pathTo(request, "widget")}/fonts`}
          data-largest={String(LARGEST_FONT)}
          data-too-large={attribute(request.words.refused.font.tooLarge)}
        >
          <>
            <input type="hidden" name="token" value={request.formToken} />
            <input type="hidden" name="do" value="add-font" />
            <EditorQueryField {...draft} />
            <Field
              id="fontName"
              label={t.name}
              hint={t.nameHint}
              maxlength={LONGEST_FONT_NAME}
              required
            />
            <Labelled id="font-file" label={t.file}>
              <input
                id="font-file"
                name="fontFile"
                type="file"
                accept=".woff2,font/woff2"
                required
              />
            </Labelled>
            <p class="actions">
              <button type="submit" class="quiet" safe>
                {t.add}
              </button>
            </p>
          </>
        </form>
        <p class="outcome" role="status" data-font-outcome />
      </div>
    </details>
  );
}
