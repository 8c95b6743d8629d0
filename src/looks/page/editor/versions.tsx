import { Html } from "../../../jsx.ts";
import { attribute } from "../../../html/attribute.ts";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { Button, Hint } from "../../../html/parts.tsx";
import { Folded } from "./folded.tsx";

/** The looks that a widget had, each to be looked at before it is saved again. The script lists them. */
export function Versions({ request }: { readonly request: DashboardRequest }): JSX.Element {
  const { editor } = request.words.dashboard.widget;
  return (
    <Folded
      title={editor.versions}
      class="versions"
      data-versions
      data-shown={attribute(editor.versionShown)}
    >
      <Hint text={editor.versionsText} />
      <p class="outcome" role="status" data-version-outcome />
      <ol data-version-list />
      <template data-version>
        <li>
          <span>
            <time />
            <small />
          </span>
          <span class="current" safe>
            {editor.versionNow}
          </span>
          <Button
            label={editor.versionShow}
            class="quiet"
            data-label={attribute(editor.versionLabel)}
          />
        </li>
      </template>
    </Folded>
  );
}
