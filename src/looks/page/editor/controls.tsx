import { Hint } from "../../../html/parts.tsx";
import type { OptionKind, OptionName, WidgetOption } from "../../../../widget/options.ts";
import { MODE_COLOURS } from "../../../../widget/styles.ts";
import { fill, type Words } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { attribute } from "../../../html/attribute.ts";
import { descriptionOf, Pills } from "../../../html/form.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { KNOWN_FONTS } from "./fonts.tsx";

/** The controls of options. The editor's script gives them their values. */

type AnyOption = WidgetOption<unknown>;

export interface ControlProps {
  readonly request: DashboardRequest;
  readonly name: OptionName;
  readonly option: AnyOption;
}

/** Numbers that are chosen by eye: the steps of their sliders, and how far those go. */
const SLIDERS: Readonly<Partial<Record<OptionName, { readonly step: number; most?: number }>>> = {
  opacity: { step: 1 },
  radius: { step: 1 },
  width: { step: 10, most: 1_920 },
  size: { step: 1 },
  outline: { step: 0.5 },
  speed: { step: 5, most: 150 },
  hold: { step: 0.5, most: 20 },
  delay: { step: 0.5 },
};

/** The control for an option, chosen by the kind of its value. */
export function Control(props: ControlProps): JSX.Element {
  switch (props.option.type.kind) {
    case "choice":
      return <ChoiceControl {...props} choices={props.option.type.choices} />;
    case "switch":
      return <SwitchControl {...props} />;
    case "colour":
      return <ColourControl {...props} />;
    case "number":
      return props.name in SLIDERS ? (
        <SliderControl {...props} type={props.option.type} />
      ) : (
        <TypedControl {...props} />
      );
    case "font":
    case "text":
      return <TypedControl {...props} />;
  }
}

/** An option's label. */
const labelOf = ({ request, name }: ControlProps): string =>
  request.words.dashboard.widget.labels[name];

const idOf = ({ name }: Pick<ControlProps, "name">): string => `option-${name}`;

function ChoiceControl(props: ControlProps & { choices: readonly string[] }): JSX.Element {
  const { request, name, choices } = props;
  return (
    <div class="control" data-control={name}>
      <Pills
        legend={labelOf(props)}
        name={name}
        choices={choices.map((value) => ({
          value,
          label: choiceLabel(request.words, name, value),
        }))}
        describedBy={hintOf(props) === undefined ? undefined : hintIdOf(props)}
      />
      <OptionHint {...props} />
      <Mistake {...props} />
    </div>
  );
}

/** A choice's label; its own name if it has no label. */
function choiceLabel(words: Words, option: string, choice: string): string {
  const labels: Readonly<Record<string, string>> = words.dashboard.widget.choices;
  return labels[`${option}_${choice}`] ?? choice;
}

function SwitchControl(props: ControlProps): JSX.Element {
  const { name } = props;
  return (
    <div class="control switch" data-control={name}>
      <label>
        <input type="checkbox" name={name} value="1" id={idOf(props)} />
        <span safe>{labelOf(props)}</span>
      </label>
      <Mistake {...props} />
    </div>
  );
}

/** Shown in colour inputs, which cannot be empty, while the theme's colour is used. */
const UNSET_COLOUR: Readonly<Record<string, string>> = {
  bg: MODE_COLOURS.dark.panel,
  color: "#ffffff",
  accent: MODE_COLOURS.dark.accent,
};

function ColourControl(props: ControlProps): JSX.Element {
  const { request, name, option } = props;
  const { widget } = request.words.dashboard;
  const automatic = option.type.kind === "colour" && option.type.automatic;
  return (
    <div class="control colour" data-control={name}>
      <label for={idOf(props)} safe>
        {labelOf(props)}
      </label>
      <div>
        <input type="color" id={idOf(props)} name={name} value={UNSET_COLOUR[name] ?? "#808080"} />
        <label class="automatic">
          <input type="checkbox" data-automatic />
          <span safe>{automatic ? widget.fromCover : widget.fromTheme}</span>
        </label>
      </div>
      <div
        class="swatches"
        data-swatches={idOf(props)}
        data-text={attribute(widget.swatch)}
        role="group"
        aria-label={attribute(labelOf(props))}
      />
      <Mistake {...props} />
    </div>
  );
}

/** A number with a slider, on which the look's own value is marked. */
function SliderControl(
  props: ControlProps & { readonly type: OptionKind & { readonly kind: "number" } },
): JSX.Element {
  const { request, name, type } = props;
  const { widget } = request.words.dashboard;
  const { step, most = type.most } = SLIDERS[name] ?? { step: 1 };
  const markId = `${idOf(props)}-mark`;
  return (
    <div class="control slider" data-control={name} data-slider>
      <FieldLabel {...props} />
      <div>
        <input
          type="range"
          min={String(type.least)}
          max={String(most)}
          step={String(step)}
          list={markId}
          aria-label={attribute(labelOf(props))}
        />
        <datalist id={markId}>
          <option value="" data-own-mark />
        </datalist>
        <Typed {...props} />
      </div>
      <button
        type="button"
        class="quiet"
        data-own-value
        data-text={attribute(widget.ownValue)}
        hidden
      />
      <OptionHint {...props} />
      <Mistake {...props} />
    </div>
  );
}

function FieldLabel(props: ControlProps): JSX.Element {
  const { type } = props.option;
  return (
    <label for={idOf(props)}>
      <span safe>{labelOf(props)}</span>
      {type.kind === "number" && <small safe>{` ${type.unit}`}</small>}
    </label>
  );
}

function TypedControl(props: ControlProps): JSX.Element {
  return (
    <div class="control" data-control={props.name}>
      <FieldLabel {...props} />
      <Typed {...props} />
      <OptionHint {...props} />
      <Mistake {...props} />
    </div>
  );
}

function Typed(props: ControlProps): JSX.Element {
  const { request, name, option } = props;
  const { widget } = request.words.dashboard;
  const { type, longest } = option;
  return (
    <input
      id={idOf(props)}
      name={name}
      autocomplete="off"
      spellcheck="false"
      list={type.kind === "font" ? KNOWN_FONTS : undefined}
      {...(type.kind === "number"
        ? { type: "number", min: String(type.least), max: String(type.most), step: "any" }
        : { type: "text", maxlength: String(longest) })}
      placeholder={
        option.fallback === null && !(name in SLIDERS) ? attribute(widget.byTheme) : undefined
      }
      {...descriptionOf({ id: idOf(props), hint: hintOf(props), mistake: undefined })}
    />
  );
}

/** What an option depends on, where its label cannot say it. */
function OptionHint(props: ControlProps): JSX.Element {
  const hint = hintOf(props);
  return <>{hint !== undefined && <Hint id={hintIdOf(props)} text={hint} />}</>;
}

function hintOf({ request, name }: ControlProps): string | undefined {
  const hints: Readonly<Partial<Record<OptionName, string>>> = request.words.dashboard.widget.hints;
  return hints[name];
}

const hintIdOf = (props: ControlProps): string => `${idOf(props)}-hint`;

/** Says which values are valid; hidden while the value is. */
function Mistake(props: ControlProps): JSX.Element {
  const { request, option } = props;
  return (
    <p class="mistake" id={`${idOf(props)}-mistake`} hidden safe>
      {allowed(request.words, option)}
    </p>
  );
}

function allowed({ dashboard }: Words, { type, longest }: AnyOption): string {
  const { mistakes } = dashboard.widget;
  switch (type.kind) {
    case "number":
      return fill(mistakes.number, { least: String(type.least), most: String(type.most) });
    case "text":
      return fill(mistakes.text, { longest: String(longest) });
    case "colour":
      return mistakes.colour;
    case "font":
      return mistakes.font;
    case "choice":
    case "switch":
      return mistakes.choice;
  }
}
