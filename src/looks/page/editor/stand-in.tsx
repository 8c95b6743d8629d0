import { standInCoverAddress } from "../../../addresses.ts";
import { LARGEST_PICTURE, LONGEST_SIDE_PX } from "../../../artwork/uploaded-picture.ts";
import { formOf } from "../../../dashboard/action-form.tsx";
import { Labelled } from "../../../html/form.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { attribute } from "../../../html/attribute.ts";
import { fill } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { removeStandInCover, setStandInCover } from "../../stand-in-actions.ts";
import { RemoveUpload, UploadGroup } from "./upload-group.tsx";

export interface StandInProps {
  readonly request: DashboardRequest;
  /** The ID of the user's picture, if there is one. */
  readonly id: string | undefined;
}

/** The user's picture for tracks without a cover, and a form that sets it. */
export function StandIn({ request, id }: StandInProps): JSX.Element {
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
        <>
          {id !== undefined && (
            <li>
              <img
                src={standInCoverAddress(request.basePath, id)}
                alt={attribute(t.current)}
                width="96"
                height="96"
              />
              <RemoveUpload form={formOf(request, removeStandInCover)} words={t} />
            </li>
          )}
        </>
      }
      form={formOf(request, setStandInCover)}
      below="/cover"
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
