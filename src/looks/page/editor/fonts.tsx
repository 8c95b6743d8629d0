import { type Font, LARGEST_FONT, LONGEST_FONT_NAME, MOST_FONTS } from "../../fonts.ts";
import { addFont, removeFont } from "../../font-actions.ts";
import { fill } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { formOf } from "../../../dashboard/action-form.tsx";
import { attribute } from "../../../html/attribute.ts";
import { Field, Labelled } from "../../../html/form.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { SHIPPED_FONT_NAMES } from "../../../overlay/fonts/shipped-fonts.ts";
import { RemoveUpload, UploadGroup } from "./upload-group.tsx";

export interface FontsProps {
  readonly request: DashboardRequest;
  /** The user's own. */
  readonly fonts: readonly Font[];
}

/** The ID of the list of fonts that the user has and that come with Marquee. */
export const KNOWN_FONTS = "known-fonts";

/** The user's own fonts, and a form that adds one. */
export function Fonts({ request, fonts }: FontsProps): JSX.Element {
  const { refused, dashboard } = request.words;
  const { fonts: t } = dashboard.widget.editor;
  const known = new Set([...fonts.map(({ name }) => name), ...SHIPPED_FONT_NAMES]);
  return (
    <>
      <datalist id={KNOWN_FONTS} data-uploaded>
        {[...known].map((name) => (
          <option value={attribute(name)} />
        ))}
      </datalist>
      <UploadGroup
        name="fonts"
        title={t.title}
        text={fill(t.text, { most: String(MOST_FONTS) })}
        largest={LARGEST_FONT}
        tooLarge={refused.font.tooLarge}
        current={
          <>
            {fonts.map(({ id, name }) => (
              <li>
                <strong safe>{name}</strong>
                <RemoveUpload form={formOf(request, removeFont, { id })} words={t} name={name} />
              </li>
            ))}
          </>
        }
        form={formOf(request, addFont)}
        below="/fonts"
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
    </>
  );
}
