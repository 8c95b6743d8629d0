import { Button } from "../../../html/parts.tsx";
import { LARGEST_PICTURE, LONGEST_SIDE_PX } from "../../../artwork/uploaded-picture.ts";
import { Confirm, Labelled } from "../../../html/form.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { attribute } from "../../../html/attribute.ts";
import { fill } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { UploadGroup } from "./upload-group.tsx";

/** The user's picture for tracks without a cover, which the script shows, and a form that sets it. */
export function StandIn({ request }: { readonly request: DashboardRequest }): JSX.Element {
  const { refused, dashboard } = request.words;
  const { standIn: t } = dashboard.widget.editor;
  return (
    <UploadGroup
      name="stand-in"
      title={t.title}
      text={fill(t.text, { side: String(LONGEST_SIDE_PX) })}
      largest={LARGEST_PICTURE}
      tooLarge={refused.cover.tooLarge}
      current={
        <ul>
          <li data-current data-alternative={attribute(t.current)} hidden>
            <Confirm label={t.remove} consequence={t.removeText}>
              <Button label={t.removeGo} class="bad" data-remove />
            </Confirm>
          </li>
        </ul>
      }
      fields={
        <Labelled id="stand-in-file" label={t.file}>
          <input
            id="stand-in-file"
            name="file"
            type="file"
            accept="image/png,image/jpeg,image/webp"
            required
          />
        </Labelled>
      }
      go={t.save}
      added={t.saved}
      removed={t.removed}
    />
  );
}
