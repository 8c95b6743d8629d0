import { widgetAddress } from "../../../addresses.ts";
import { Html } from "../../../jsx.ts";
import { attribute } from "../../../html/attribute.ts";
import { Pills } from "../../../dashboard/form.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { sizeOf } from "../../../../widget/source-size.ts";
import type { Edited } from "./editor-page.tsx";
import { SaveBar } from "./save-bar.tsx";

/** The overlay as it is edited, and what saves it: always at hand. */
export function Preview({ request, widget: edited, token }: Edited): JSX.Element {
  const { words, basePath, language } = request;
  const { widget } = words.dashboard;
  const { width, height } = sizeOf(edited);
  // Always to be seen here. The script sends it what is not saved yet.
  const query = "shown=always&demo=1";
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

/** What the preview shows, and in front of what. */
export function PreviewChoices({ request }: { readonly request: DashboardRequest }): JSX.Element {
  const { widget } = request.words.dashboard;
  const { backgrounds } = widget;
  return (
    <div class="preview-choices">
      <Pills
        legend={widget.background}
        name="background"
        choices={[
          { value: "dark", label: backgrounds.dark },
          { value: "light", label: backgrounds.light },
          { value: "busy", label: backgrounds.busy },
        ]}
        chosen="dark"
      >
        <>
          <input type="radio" name="background" value="own" data-own-choice hidden />
          <label class="own-picture" title={widget.ownPictureHint} data-own-picture>
            <input type="file" accept="image/*" aria-label={widget.ownPicture} />
            <span safe>{widget.ownPicture}</span>
          </label>
        </>
      </Pills>
      <Pills
        legend={widget.music}
        name="demo"
        choices={[
          { value: "1", label: widget.demoMusic },
          { value: "0", label: widget.ownMusic },
        ]}
        chosen="1"
      />
      <p class="hint own-music" safe>
        {widget.ownMusicHint}
      </p>
    </div>
  );
}
