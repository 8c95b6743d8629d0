import type { WidgetRevision } from "../../revisions.ts";
import type { Widget } from "../../widgets.ts";
import { fill, formatTime } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { widgetOptions } from "../../../../widget/options.ts";
import { attribute } from "../../../html/attribute.ts";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { pathTo } from "../../../html/section-paths.ts";
import { choiceLabel } from "./controls.tsx";

export interface VersionsProps {
  readonly request: DashboardRequest;
  readonly widget: Widget;
  /** The newest first. */
  readonly revisions: readonly WidgetRevision[];
  /** Unix time in milliseconds. */
  readonly nowMs: number;
}

/** The looks that a widget had, each to be looked at before it is saved again. */
export function Versions({ request, widget, revisions, nowMs }: VersionsProps): JSX.Element {
  const { words, language } = request;
  const { editor } = words.dashboard.widget;
  return (
    <details class="group versions" data-versions>
      <summary>
        <h2 safe>{editor.versions}</h2>
      </summary>
      <div class="rows">
        <p class="hint" safe>
          {editor.versionsText}
        </p>
        <p class="outcome" role="status" data-version-outcome />
        <ol data-version-list>
          {revisions.map(({ revision, savedAt, options }) => {
            const time = formatTime(language, savedAt, nowMs);
            const query = `?id=${widget.id}&version=${revision}`;
            const theme = options["theme"] ?? widgetOptions.theme.fallback;
            return (
              <li>
                <span>
                  <time datetime={new Date(savedAt).toISOString()} safe>
                    {time}
                  </time>
                  <small safe>{choiceLabel(words, "theme", theme)}</small>
                </span>
                {revision === widget.revision ? (
                  <span class="current" safe>
                    {editor.versionNow}
                  </span>
                ) : (
                  <a
                    class="button quiet"
                    href={attribute(pathTo(request, "widget") + query)}
                    aria-label={attribute(fill(editor.versionLabel, { time }))}
                    data-takes="look"
                    safe
                  >
                    {editor.versionShow}
                  </a>
                )}
              </li>
            );
          })}
        </ol>
      </div>
    </details>
  );
}
