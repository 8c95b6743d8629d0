import { LONGEST_KEY_NAME } from "../../../accounts/key-name.ts";
import { fill, languages } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { LANGUAGES } from "../../../languages.ts";
import { widgetOptions } from "../../../../widget/options.ts";
import { SIDE_PX } from "../../../../widget/source-size.ts";
import { Pills } from "../../../html/form.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { Control } from "./controls.tsx";
import { type GroupName, GROUPS } from "./groups.ts";
import { FORM } from "./save-bar.tsx";
import { Button, Hint } from "../../../html/parts.tsx";
import { Folded } from "./folded.tsx";

interface FormProps {
  readonly request: DashboardRequest;
}

/** Everything that is saved of an overlay, as one form. */
export function OptionsForm({ request }: FormProps): JSX.Element {
  const { widget } = request.words.dashboard;
  return (
    <form id={FORM} method="dialog" aria-label={widget.options}>
      <>
        {/* The looks choose it. */}
        <input type="hidden" name="theme" />
        <OptionGroup request={request} group="look" />
        <OptionGroup request={request} group="text" />
        <OptionGroup request={request} group="behaviour" />
        <NameAndSize request={request} />
        <p class="actions">
          <Button label={widget.defaults} class="quiet" data-reset />
        </p>
      </>
    </form>
  );
}

function OptionGroup({ request, group }: FormProps & { group: GroupName }): JSX.Element {
  const { groups } = request.words.dashboard.widget;
  const isChoice = (kind: string) => kind === "choice";
  const isSwitch = (kind: string) => kind === "switch";
  const controlsOf = (belongs: (kind: string) => boolean): JSX.Element => (
    <>
      {GROUPS[group]
        .filter((name) => belongs(widgetOptions[name].type.kind))
        .map((name) => (
          <Control request={request} name={name} option={widgetOptions[name]} />
        ))}
    </>
  );
  return (
    <Folded title={groups[group]}>
      <div class="row choices">
        {group === "text" && <LanguageChoice request={request} />}
        {controlsOf(isChoice) as "safe"}
      </div>
      <div class="row fields">
        {controlsOf((kind) => !isChoice(kind) && !isSwitch(kind)) as "safe"}
      </div>
      <div class="row switches">{controlsOf(isSwitch) as "safe"}</div>
    </Folded>
  );
}

/** The language is not in the table of options: it belongs to the widget. */
function LanguageChoice({ request }: FormProps): JSX.Element {
  const { widget } = request.words.dashboard;
  return (
    <div class="control">
      <Pills
        legend={widget.language}
        name="language"
        choices={[
          { value: "", label: widget.editor.addressLanguage },
          ...LANGUAGES.map((value) => ({ value, label: languages[value].endonym })),
        ]}
      />
    </div>
  );
}

function NameAndSize({ request }: FormProps): JSX.Element {
  const { editor, obs, mistakes } = request.words.dashboard.widget;
  const [least, most] = [String(SIDE_PX.least), String(SIDE_PX.most)];
  return (
    <Folded title={editor.nameAndSize}>
      <div class="named control" data-control="name">
        <label for="name" safe>
          {editor.name}
        </label>
        <input
          id="name"
          name="name"
          autocomplete="off"
          spellcheck="false"
          maxlength={String(LONGEST_KEY_NAME)}
        />
        <p class="mistake" id="name-mistake" hidden safe>
          {editor.nameRule}
        </p>
      </div>
      <Hint text={editor.sizeHint} />
      <div class="row fields">
        {(["width", "height"] as const).map((side) => (
          <div class="control" data-control={`source-${side}`}>
            <label for={`source-${side}`}>
              <span safe>{obs[side]}</span>
              <small> px</small>
            </label>
            <input
              id={`source-${side}`}
              data-side={side}
              type="number"
              min={least}
              max={most}
              step="1"
              autocomplete="off"
            />
            <p class="mistake" id={`source-${side}-mistake`} hidden safe>
              {fill(mistakes.number, { least, most })}
            </p>
          </div>
        ))}
      </div>
    </Folded>
  );
}
