import { attribute } from "../../../html/attribute.ts";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { Html } from "../../../jsx.ts";
import { LONGEST_CSS } from "../../look.ts";
import { CLASS_NAMES, CUSTOM_PROPERTIES } from "./css-names.ts";
import { FORM } from "./save-bar.tsx";
import { Hint } from "../../../html/parts.tsx";
import { Folded } from "./folded.tsx";

/** The widget's own CSS, with the names that it may use. It is saved with the form of the other tab. */
export function CssGroup({ request }: { readonly request: DashboardRequest }): JSX.Element {
  const { editor } = request.words.dashboard.widget;
  return (
    <Folded title={editor.css} class="css">
      <Hint id="css-hint" text={editor.cssText} />
      <div class="with-names">
        <div class="control" data-css data-longest={String(LONGEST_CSS)}>
          <textarea
            id="css"
            name="css"
            form={FORM}
            rows="14"
            spellcheck="false"
            autocapitalize="off"
            aria-label={attribute(editor.css)}
            aria-describedby="css-hint"
          />
          <p class="used" data-css-used data-text={attribute(editor.cssUsed)} />
          <p
            class="status warn"
            role="status"
            data-css-too-new
            data-text={attribute(editor.cssTooNew)}
            data-nesting={attribute(editor.cssNesting)}
            hidden
          />
          <p class="mistake" id="css-mistake" hidden data-text={attribute(editor.cssTooLong)} />
        </div>
        <div class="names">
          <Hint text={editor.cssInsert} />
          <Names title={editor.cssClasses} names={CLASS_NAMES} />
          <Names title={editor.cssProperties} names={CUSTOM_PROPERTIES} />
        </div>
      </div>
    </Folded>
  );
}

function Names({ title, names }: { title: string; names: readonly string[] }): JSX.Element {
  return (
    <section>
      <h3 safe>{title}</h3>
      <ul>
        {names.map((name) => (
          <li>
            <button type="button" class="quiet" data-insert={name}>
              <code safe>{name}</code>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
