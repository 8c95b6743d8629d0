import { Button } from "../../../html/parts.tsx";
import { pageAddress } from "../../../addresses.ts";
import { Html } from "../../../jsx.ts";
import type { SharedLook } from "../../../overlay/looks/shared-look.ts";
import { SHIPPED_LOOK_NAMES, type ShippedLookName } from "../../../overlay/looks/shipped.ts";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { LookPreview } from "../gallery/look-preview.tsx";

interface LookStripProps {
  readonly request: DashboardRequest;
  readonly looks: Readonly<Record<ShippedLookName, SharedLook>>;
}

/** The looks to choose from, side by side. The script puts the chosen one into the draft. */
export function LookStrip({ request, looks }: LookStripProps): JSX.Element {
  const { words, basePath, language } = request;
  return (
    <fieldset class="strip" data-strip>
      <legend safe>{words.dashboard.gallery.looks.title}</legend>
      <Button
        label={words.dashboard.widget.allLooks}
        class="quiet"
        data-all-looks
        aria-expanded="false"
      />
      <div>
        {SHIPPED_LOOK_NAMES.map((id) => (
          <div class="look">
            <LookPreview
              title={looks[id].name}
              path={`${pageAddress(basePath, language, "demo")}?look=${id}&demo=ordinary`}
              look={looks[id]}
              isDeferred
            />
            <label>
              <input type="radio" name="look" value={id} />
              <b safe>{looks[id].name}</b>
              <small safe>{words.looks[id].text}</small>
            </label>
          </div>
        ))}
      </div>
      <Button label={words.dashboard.gallery.looks.asNew} class="quiet" data-as-new />
    </fieldset>
  );
}
