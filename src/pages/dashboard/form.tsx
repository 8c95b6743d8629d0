import { Html } from "../../jsx.ts";
import { attribute } from "../attribute.ts";
import type { DashboardRequest } from "./request.ts";
import { pathTo } from "./sections.ts";

export interface FormProps {
  readonly request: DashboardRequest;
  /** What is to be done, for the section's `act`. */
  readonly action: string;
  /** Names what it is done to. */
  readonly target?: string;
  readonly class?: string;
  readonly children: JSX.Element;
}

/** A form of the page that it stands on. */
export function Form({ request, action, target, children, ...rest }: FormProps): JSX.Element {
  return (
    <form method="post" action={pathTo(request, request.section)} class={rest.class ?? "form"}>
      <input type="hidden" name="token" value={request.formToken} />
      <input type="hidden" name="do" value={action} />
      {target === undefined ? "" : <input type="hidden" name="target" value={attribute(target)} />}
      {children as "safe"}
    </form>
  );
}

export interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly value?: string | undefined;
  readonly hint?: string | undefined;
  readonly mistake?: string | undefined;
  readonly type?: "text" | "password" | "number";
  readonly placeholder?: string | undefined;
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly maxlength?: number;
}

/** A text to type, with what is wrong with it beside it. */
export function Field(props: FieldProps): JSX.Element {
  const { id, value, mistake, placeholder } = props;
  return (
    <Labelled {...props}>
      <input
        id={id}
        name={id}
        type={props.type ?? "text"}
        autocomplete={props.autocomplete ?? "off"}
        spellcheck="false"
        maxlength={String(props.maxlength ?? 300)}
        {...(value !== undefined && { value: attribute(value) })}
        {...(placeholder !== undefined && { placeholder: attribute(placeholder) })}
        {...(props.required && { required: true })}
        {...descriptionOf(props)}
        {...(mistake !== undefined && { "aria-invalid": "true" })}
      />
    </Labelled>
  );
}

export interface LinesProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly hint?: string | undefined;
  readonly mistake?: string | undefined;
  readonly rows?: number;
}

/** Texts to type, one a line, with what is wrong with them below. */
export function Lines(props: LinesProps): JSX.Element {
  const { id, value, mistake, rows = 5 } = props;
  return (
    <Labelled {...props}>
      <textarea
        id={id}
        name={id}
        rows={String(rows)}
        dir="auto"
        spellcheck="false"
        {...descriptionOf(props)}
        {...(mistake !== undefined && { "aria-invalid": "true" })}
        safe
      >
        {/* The parser drops a line break right after the tag, so one of ours goes first. */}
        {`\n${value}`}
      </textarea>
    </Labelled>
  );
}

interface LabelledProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly mistake?: string | undefined;
  readonly children?: JSX.Element;
}

/** What stands around a control: its name, a hint, and what is wrong with it. */
function Labelled({ id, label, hint, mistake, children }: LabelledProps): JSX.Element {
  return (
    <div class="field">
      <label for={id} safe>
        {label}
      </label>
      {hint === undefined ? (
        ""
      ) : (
        <p class="hint" id={`${id}-hint`} safe>
          {hint}
        </p>
      )}
      {children as "safe"}
      {mistake === undefined ? (
        ""
      ) : (
        <p class="mistake" id={`${id}-mistake`} safe>
          {mistake}
        </p>
      )}
    </div>
  );
}

/** Names what describes a control to a screen reader. */
function descriptionOf({ id, hint, mistake }: LabelledProps) {
  const ids = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(mistake === undefined ? [] : [`${id}-mistake`]),
  ];
  return ids.length > 0 && { "aria-describedby": ids.join(" ") };
}

export interface ChoiceProps {
  readonly id: string;
  readonly label: string;
  readonly chosen: string;
  readonly options: readonly {
    readonly value: string;
    readonly label: string;
    readonly lang?: string;
  }[];
}

/** One of a few, to choose from a list. */
export function Choice({ id, label, chosen, options, ...rest }: ChoiceProps & { name?: string }) {
  return (
    <div class="field">
      <label for={id} safe>
        {label}
      </label>
      <select id={id} name={rest.name ?? id}>
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
    </div>
  );
}

export interface ConfirmProps {
  /** On the button that opens the question. */
  readonly label: string;
  /** What will happen. */
  readonly consequence: string;
  readonly children: JSX.Element;
}

/** Asks once more, without a script: what cannot be undone is a second click away. */
export function Confirm({ label, consequence, children }: ConfirmProps): JSX.Element {
  return (
    <details class="confirm">
      <summary class="button quiet" safe>
        {label}
      </summary>
      <div>
        <p safe>{consequence}</p>
        {children as "safe"}
      </div>
    </details>
  );
}
