import { Html } from "../../jsx.ts";
import { attribute } from "../attribute.ts";
import { Copyable } from "../parts.tsx";
import type { DashboardRequest } from "./request.ts";
import { Pills } from "./widget-controls.tsx";
import { previewAddress, sourceSize, type EditorQuery } from "./editor-query.ts";

export interface PreviewProps {
  readonly request: DashboardRequest;
  readonly editorQuery: EditorQuery;
  readonly token: string;
  /** The address for OBS. */
  readonly address: string;
  /** The ID of the form that the controls here belong to. */
  readonly form: string;
}

/** The overlay over a choice of backgrounds, and its address. */
export function Preview({ request, editorQuery, token, address, form }: PreviewProps): JSX.Element {
  const { words, basePath, language } = request;
  const { widget } = words.dashboard;
  const { width, height } = sourceSize(editorQuery.options);
  const { backgrounds } = widget;
  return (
    <section class="preview" aria-label={widget.preview}>
      <div class="screen" data-screen style={`--source-width:${width};--source-height:${height}`}>
        <div class="stage">
          <iframe
            title={widget.preview}
            tabindex="-1"
            src={attribute(previewAddress(basePath, editorQuery, token))}
            data-preview
            data-mode={editorQuery.options.mode}
          />
        </div>
      </div>
      <div class="choices">
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
            <label class="own-picture" title={widget.ownPictureHint} data-own-picture hidden>
              <input type="file" accept="image/*" aria-label={widget.ownPicture} />
              <span safe>{widget.ownPicture}</span>
            </label>
          </>
        </Pills>
        <Pills
          legend={widget.music}
          name="demo"
          form={form}
          choices={[
            { value: "1", label: widget.demoMusic },
            { value: "0", label: widget.ownMusic },
          ]}
          chosen={editorQuery.ownMusic ? "0" : "1"}
        />
      </div>
      <p class="hint own-music" safe>
        {widget.ownMusicHint}
      </p>
      <h2 class="address" safe>
        {widget.address}
      </h2>
      <div data-follows="address">
        <Copyable language={language} text={address} />
      </div>
    </section>
  );
}
