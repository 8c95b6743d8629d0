import { Hint } from "./parts.tsx";
import { type Children, Html } from "../jsx.ts";
import { attribute } from "./attribute.ts";
import { LONGEST_ENTERED_TEXT } from "../text-limits.ts";

interface LabelledProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly mistake?: string | undefined;
  /** Whether the mistake is announced: where no notice of the page says it. */
  readonly alerts?: boolean;
  readonly children?: Children;
}

interface ControlProps extends Omit<LabelledProps, "children"> {
  /** Its name in the form. */
  readonly name: string;
}

interface FieldProps extends ControlProps {
  readonly value?: string | undefined;
  readonly type?: "text" | "password";
  readonly placeholder?: string | undefined;
  readonly required?: boolean;
  /** In UTF-16 units; by default as any text that is entered. */
  readonly maxlength?: number | undefined;
}

/** The first field of a page with a mistake gets the focus: the form may be far down. */
export const INVALID = { "aria-invalid": "true", autofocus: true } as const;

/** The result of a form far down a page gets the focus, and with it comes into sight. */
export const IN_SIGHT = { tabindex: "-1", autofocus: true } as const;

/** A text field, with its error message. */
export function Field(props: FieldProps): JSX.Element {
  const { id, value, mistake, placeholder } = props;
  return (
    <Labelled {...props}>
      <input
        id={id}
        name={props.name}
        type={props.type ?? "text"}
        autocomplete="off"
        spellcheck="false"
        maxlength={String(props.maxlength ?? LONGEST_ENTERED_TEXT)}
        {...(value !== undefined && { value: attribute(value) })}
        {...(placeholder !== undefined && { placeholder: attribute(placeholder) })}
        {...(props.required && { required: true })}
        {...descriptionOf(props)}
        {...(mistake !== undefined && INVALID)}
      />
    </Labelled>
  );
}

/** A control with its label, hint and error message. */
export function Labelled(props: LabelledProps): JSX.Element {
  const { id, label, hint, mistake, alerts, children } = props;
  return (
    <div class="field">
      <label for={id} safe>
        {label}
      </label>
      {hint !== undefined && <Hint id={`${id}-hint`} text={hint} />}
      {children as "safe"}
      {mistake !== undefined && (
        <p class="mistake" id={`${id}-mistake`} {...(alerts && { role: "alert" })} safe>
          {mistake}
        </p>
      )}
    </div>
  );
}

/** The IDs of the texts that describe a control to a screen reader: of those that are there. */
export function descriptionOf({
  id,
  hint,
  mistake,
}: Pick<LabelledProps, "id" | "hint" | "mistake">) {
  const ids = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(mistake === undefined ? [] : [`${id}-mistake`]),
  ];
  return ids.length > 0 && { "aria-describedby": ids.join(" ") };
}

export interface ChoiceProps extends Pick<ControlProps, "id" | "name" | "label"> {
  readonly chosen: string;
  readonly options: readonly {
    readonly value: string;
    readonly label: string;
    readonly lang?: string;
  }[];
}

/** A list to choose one value from. */
export function Choice({ id, name, label, chosen, options }: ChoiceProps): JSX.Element {
  return (
    <Labelled id={id} label={label}>
      <select id={id} name={name}>
        {options.map((option) => (
          <option
            value={attribute(option.value)}
            selected={option.value === chosen}
            {...(option.lang !== undefined && { lang: option.lang })}
            safe
          >
            {option.label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

export interface PillsProps {
  readonly legend: string;
  readonly name: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  /** The ID of a text that explains them. */
  readonly describedBy?: string | undefined;
}

/** Radio buttons side by side. A script chooses one. */
export function Pills({ legend, name, choices, describedBy }: PillsProps): JSX.Element {
  return (
    <fieldset class="pills" data-pills={name} aria-describedby={describedBy}>
      <legend safe>{legend}</legend>
      <div>
        {choices.map(({ value, label }) => (
          <label title={attribute(label)}>
            <input type="radio" name={name} value={value} />
            <span safe>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface UnfoldsProps {
  /** The label of the button that unfolds it. */
  readonly label: string;
  readonly isOpen?: boolean;
  readonly children: Children;
}

/** What a button unfolds, without a script. @param props.class what it is called besides `unfolds` */
export const Unfolds = (props: UnfoldsProps & { readonly class: string }): JSX.Element => (
  <details class={`unfolds ${props.class}`.trim()} open={props.isOpen === true}>
    <summary class="button quiet" safe>
      {props.label}
    </summary>
    <div>{props.children as "safe"}</div>
  </details>
);

/** A form that is folded away behind a button. */
export const Fold = ({ children, ...props }: UnfoldsProps): JSX.Element => (
  <Unfolds {...props} class="fold">
    {children as "safe"}
  </Unfolds>
);

interface ConfirmProps extends UnfoldsProps {
  /** What will happen. */
  readonly consequence: string;
}

/** Asks for confirmation before an action that cannot be undone. */
export const Confirm = ({ consequence, children, ...props }: ConfirmProps): JSX.Element => (
  <Unfolds {...props} class="">
    <p safe>{consequence}</p>
    {children as "safe"}
  </Unfolds>
);
