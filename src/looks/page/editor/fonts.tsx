import { Button } from "../../../html/parts.tsx";
import { LARGEST_FONT, LONGEST_FONT_NAME, MOST_FONTS } from "../../fonts.ts";
import { fill } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { Confirm, Field, Labelled } from "../../../html/form.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { UploadGroup } from "./upload-group.tsx";

/** The user's own fonts, which the script lists, and a form that adds one. */
export function Fonts({ request }: { readonly request: DashboardRequest }): JSX.Element {
  const { refused, dashboard } = request.words;
  const { fonts: t } = dashboard.widget.editor;
  return (
    <UploadGroup
      name="fonts"
      title={t.title}
      text={fill(t.text, { most: String(MOST_FONTS) })}
      largest={LARGEST_FONT}
      tooLarge={refused.font.tooLarge}
      current={
        <>
          <ul data-font-list />
          <template data-font>
            <li>
              <strong />
              <Confirm label={t.remove} consequence={t.removeText}>
                <Button label={t.removeGo} class="bad" />
              </Confirm>
            </li>
          </template>
        </>
      }
      fields={
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
        </>
      }
      go={t.add}
      added={t.added}
      removed={t.removed}
    />
  );
}
