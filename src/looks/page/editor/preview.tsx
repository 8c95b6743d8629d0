import { widgetAddress } from "../../../addresses.ts";
import { Html } from "../../../jsx.ts";
import { attribute } from "../../../html/attribute.ts";
import { Choice } from "../../../html/form.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { sizeOf } from "../../../../widget/source-size.ts";
import { DEMO_SONGS, type WidgetOptions } from "../../../../widget/options.ts";
import type { Edited } from "./editor-page.tsx";
import { SaveBar } from "./save-bar.tsx";

/** The overlay as it is edited, and what saves it: always at hand. */
export function Preview({ request, widget: edited, token }: Edited): JSX.Element {
  const { words, basePath, language } = request;
  const { widget } = words.dashboard;
  const { width, height } = sizeOf(edited);
  // Always to be seen here. The script sends it what is not saved yet.
  const query = "shown=always&demo=ordinary";
  const address = widgetAddress(basePath, edited.language ?? language, token);
  return (
    <section class="preview" aria-label={widget.preview}>
      <div class="screen" data-screen style={`--source-width:${width};--source-height:${height}`}>
        <div class="stage">
          <iframe
            title={widget.preview}
            tabindex="-1"
            src={attribute(`${address}?${query}`)}
            data-preview
          />
        </div>
      </div>
      <SaveBar request={request} isLive />
    </section>
  );
}

/** What the editor offers to preview: single songs of the demo first, and the user's music last. */
const MUSIC: readonly WidgetOptions["demo"][] = [...DEMO_SONGS, "1", "0"];

/** What the preview shows, and in front of what. */
export function PreviewChoices({ request }: { readonly request: DashboardRequest }): JSX.Element {
  const { words } = request;
  const { widget } = words.dashboard;
  return (
    <div class="preview-choices">
      <Choice
        id="preview-music"
        name="demo"
        label={widget.music}
        chosen="ordinary"
        options={MUSIC.map((value) => ({ value, label: widget.choices[`demo_${value}`] }))}
      />
      <Choice
        id="preview-background"
        name="background"
        label={widget.background}
        chosen="dark"
        options={(["dark", "light", "busy", "own"] as const).map((value) => ({
          value,
          label: widget.backgrounds[value],
        }))}
      />
      <label class="own-picture button quiet" title={widget.ownPictureHint} data-own-picture>
        <input type="file" accept="image/*" aria-label={widget.ownPicture} />
        <span safe>{widget.ownPicture}</span>
      </label>
      <p class="hint own-music" safe>
        {widget.ownMusicHint}
      </p>
    </div>
  );
}
