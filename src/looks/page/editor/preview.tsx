import { Html } from "../../../jsx.ts";
import { attribute } from "../../../html/attribute.ts";
import { chosenSize, previewAddress } from "./editor-query.ts";
import { pathTo } from "../../../html/section-paths.ts";
import { Pills } from "../../../dashboard/form.tsx";
import { type EditorPartProps, FORM } from "./draft.tsx";

export interface PreviewProps extends EditorPartProps {
  readonly token: string;
  /** Whether the draft is what is saved. */
  readonly isSaved: boolean;
  /** Whether another look was saved meanwhile. */
  readonly isOutdated: boolean;
}

/** The overlay as it is edited, and what saves it: always at hand. */
export function Preview(props: PreviewProps): JSX.Element {
  const { request, draft, token, isSaved } = props;
  const { words, basePath, language } = request;
  const { widget } = words.dashboard;
  const { editorQuery } = draft;
  const { width, height } = chosenSize(editorQuery);
  return (
    <section class="preview" aria-label={widget.preview}>
      <div class="screen" data-screen style={`--source-width:${width};--source-height:${height}`}>
        <div class="stage">
          <iframe
            title={widget.preview}
            tabindex="-1"
            src={attribute(previewAddress(basePath, editorQuery, token, language))}
            data-preview
          />
        </div>
      </div>
      <SaveBar request={request} isSaved={isSaved} />
      <Conflict {...props} />
    </section>
  );
}

function SaveBar({ request, isSaved }: Pick<PreviewProps, "request" | "isSaved">): JSX.Element {
  const { editor } = request.words.dashboard.widget;
  return (
    <div class="save-bar">
      <div class="history" data-with-script hidden>
        {(["undo", "redo"] as const).map((step) => (
          <button
            type="button"
            class="quiet"
            data-undo={step === "undo"}
            data-redo={step === "redo"}
            aria-disabled="true"
            title={editor[step]}
            aria-label={editor[step]}
            aria-keyshortcuts={step === "undo" ? "Control+Z" : "Control+Shift+Z"}
          >
            <span aria-hidden="true">{step === "undo" ? "↶" : "↷"}</span>
          </button>
        ))}
      </div>
      <p
        class={`status ${isSaved ? "good" : "warn"}`}
        role="status"
        data-save-state
        data-saved={attribute(editor.saved)}
        data-unsaved={attribute(editor.unsaved)}
        data-saving={attribute(editor.saving)}
        data-wrong={attribute(editor.mistakes)}
        data-failed={attribute(editor.saveFailed)}
        safe
      >
        {isSaved ? editor.saved : editor.unsaved}
      </p>
      <label class="live" title={attribute(editor.liveText)} data-with-script hidden>
        <input type="checkbox" role="switch" data-live-editing />
        <span safe>{editor.live}</span>
      </label>
      <button type="submit" name="do" value="save" form={FORM} data-save safe>
        {editor.save}
      </button>
    </div>
  );
}

/** What to do when another look was saved meanwhile. Nothing typed is lost either way. */
function Conflict({ request, widget, isOutdated }: PreviewProps): JSX.Element {
  const { editor } = request.words.dashboard.widget;
  return (
    <div class="notice bad conflict" role="alert" data-conflict hidden={!isOutdated}>
      <p safe>{editor.newer}</p>
      <p class="actions">
        <a
          class="button quiet"
          href={`${pathTo(request, "widget")}?id=${widget.id}`}
          target="_blank"
          data-takes="everything"
          safe
        >
          {editor.lookAtNewer}
        </a>
        <button type="submit" name="do" value="save" class="quiet" form={FORM} data-save-mine safe>
          {editor.saveMine}
        </button>
      </p>
    </div>
  );
}

/** What the preview shows, and in front of what. */
export function PreviewChoices({ request, draft }: EditorPartProps): JSX.Element {
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
          <label class="own-picture" title={widget.ownPictureHint} data-own-picture hidden>
            <input type="file" accept="image/*" aria-label={widget.ownPicture} />
            <span safe>{widget.ownPicture}</span>
          </label>
        </>
      </Pills>
      <Pills
        legend={widget.music}
        name="demo"
        form={FORM}
        choices={[
          { value: "1", label: widget.demoMusic },
          { value: "0", label: widget.ownMusic },
        ]}
        chosen={draft.editorQuery.ownMusic ? "0" : "1"}
      />
      <p class="hint own-music" safe>
        {widget.ownMusicHint}
      </p>
    </div>
  );
}
