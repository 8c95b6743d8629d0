import { Button, Submit } from "../../../html/parts.tsx";
import { Html } from "../../../jsx.ts";
import { attribute } from "../../../html/attribute.ts";
import type { DashboardRequest } from "../../../dashboard/request.ts";

/** The ID of an editor's form. */
export const FORM = "widget-draft";

export interface SaveBarProps {
  readonly request: DashboardRequest;
  /** Whether changes may be saved while one makes them. */
  readonly isLive?: boolean;
}

/** What undoes and saves, and how far that is. */
export function SaveBar({ request, isLive = false }: SaveBarProps): JSX.Element {
  const { editor } = request.words.dashboard.widget;
  return (
    <>
      <div class="save-bar">
        <div class="history">
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
          class="status good"
          role="status"
          tabindex="-1"
          data-save-state
          data-saved={attribute(editor.saved)}
          data-unsaved={attribute(editor.unsaved)}
          data-saving={attribute(editor.saving)}
          data-wrong={attribute(editor.mistakes)}
          data-failed={attribute(editor.saveFailed)}
          safe
        >
          {editor.saved}
        </p>
        {isLive && (
          <label class="live" title={attribute(editor.liveText)}>
            <input type="checkbox" role="switch" data-live-editing />
            <span safe>{editor.live}</span>
          </label>
        )}
        <Submit
          label={editor.save}
          form={FORM}
          aria-keyshortcuts="Control+S"
          title="Ctrl+S"
          data-save
          hidden
        />
      </div>
      <div class="notice bad conflict" role="alert" data-conflict hidden>
        <p safe>{editor.newer}</p>
        <p class="actions">
          <Button label={editor.lookAtNewer} class="quiet" data-take-newer />
          <Button label={editor.saveMine} class="quiet" data-save-mine />
        </p>
      </div>
    </>
  );
}
