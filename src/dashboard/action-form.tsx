import type { AnyAction, Input, Inputs, Texts } from "../actions/action.ts";
import { attribute } from "../html/attribute.ts";
import { pathTo } from "../html/section-paths.ts";
import { type Children, Html } from "../jsx.ts";
import {
  Choice,
  type ChoiceProps,
  Confirm,
  descriptionOf,
  Field,
  INVALID,
  Labelled,
} from "../html/form.tsx";
import type { DashboardRequest, RefusedForm } from "./request.ts";
import { Hint, Submit } from "../html/parts.tsx";

/** Forms of actions. What was sent and refused stands in the request, and the fields show it. */

/** The texts that a form sends without a field: which hook, which key. */
type Fixed = Readonly<Record<string, string | number>>;

/** One form of an action on a page. */
export interface FormOf<I extends Inputs> {
  readonly request: DashboardRequest;
  readonly name: string;
  readonly inputs: I;
  readonly fixed: Fixed;
  /** What was sent with this form and refused. */
  readonly refused: RefusedForm | undefined;
}

/** @param fixed what the form sends without a field; tells the action's forms on a page apart */
export function formOf<I extends Inputs>(
  request: DashboardRequest,
  { name, inputs }: { readonly name: string; readonly inputs: I },
  fixed: Fixed = {},
): FormOf<I> {
  const { refused } = request;
  const isThis =
    refused?.action === name &&
    Object.entries(fixed).every(([input, text]) => (refused.texts[input] ?? "") === String(text));
  return { request, name, inputs, fixed, refused: isThis ? refused : undefined };
}

export interface ActionFormProps {
  readonly form: FormOf<Inputs>;
  readonly class?: string;
  /** For long texts: encoded as usual, they would become up to three times as long. */
  readonly multipart?: boolean;
  /** Where it is sent to below its page, such as `/restore`; by default to the page. */
  readonly below?: string;
  /** The query of the page that shows the result; by default none. */
  readonly at?: string | undefined;
  readonly children: Children;
}

export function ActionForm(props: ActionFormProps): JSX.Element {
  const { form, multipart, below = "", at = "", children } = props;
  const { request, name, fixed } = form;
  return (
    <form
      method="post"
      action={pathTo(request, request.section) + below + (at === "" ? "" : `?${at}`)}
      class={props.class ?? "form"}
      {...(multipart && { enctype: "multipart/form-data" })}
    >
      <input type="hidden" name="token" value={request.formToken} />
      <input type="hidden" name="do" value={name} />
      {Object.entries(fixed).map(([input, text]) => (
        <input type="hidden" name={input} value={attribute(String(text))} />
      ))}
      {children as "safe"}
    </form>
  );
}

export interface InputProps<I extends Inputs> {
  readonly form: FormOf<I>;
  readonly name: keyof I & string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** What is stored now. */
  readonly value?: string | undefined;
}

/** The id of an input's element, which no other form on the page has. */
const elementId = ({ fixed }: FormOf<Inputs>, name: string): string =>
  [name, ...Object.values(fixed)].filter((part) => part !== "").join("-");

/** What an input shows: what was typed and refused, or what is stored. */
function shownIn(form: FormOf<Inputs>, name: string, stored: string | undefined) {
  const { refused } = form;
  const typed = refused?.texts[name];
  return {
    id: elementId(form, name),
    value: typed === undefined ? stored : String(typed),
    mistake: refused?.field === name ? refused.text : undefined,
  };
}

/** Whether a field that is left empty means that there is no value. */
const mayBeEmpty = ({ fallback }: Input<unknown>): boolean => fallback === null;

const inputOf = ({ inputs }: FormOf<Inputs>, name: string): Input<unknown> | undefined =>
  inputs[name];

/** A text of one line. */
export function TextInput<I extends Inputs>(
  props: InputProps<I> & {
    readonly placeholder?: string | undefined;
    /** Where a value is needed here, although the action does without. */
    readonly required?: boolean;
    /** In UTF-16 units, where it is less than what the action takes. */
    readonly longest?: number | undefined;
  },
): JSX.Element {
  const { form, name, label, hint, placeholder, longest } = props;
  const input = inputOf(form, name);
  const isSecret = input?.secret === true;
  const { value, ...shown } = shownIn(form, name, props.value);
  return (
    <Field
      {...shown}
      {...{ name, label, hint, placeholder }}
      value={isSecret ? undefined : value}
      type={isSecret ? "password" : "text"}
      maxlength={longest ?? input?.longest}
      required={props.required ?? (input !== undefined && !mayBeEmpty(input))}
    />
  );
}

/** Texts, one per line. */
export function LinesInput<I extends Inputs>(
  props: InputProps<I> & { readonly rows?: number },
): JSX.Element {
  const { form, name, label, hint, rows = 5 } = props;
  const { id, value = "", mistake } = shownIn(form, name, props.value);
  const longest = inputOf(form, name)?.longest;
  return (
    <Labelled {...{ id, label, hint, mistake }}>
      <textarea
        id={id}
        name={name}
        rows={String(rows)}
        dir="auto"
        spellcheck="false"
        {...(longest !== undefined && { maxlength: String(longest) })}
        {...descriptionOf({ id, hint, mistake })}
        {...(mistake !== undefined && INVALID)}
        safe
      >
        {/* HTML parsers drop a line break right after the tag, so add one that may be lost. */}
        {`\n${value}`}
      </textarea>
    </Labelled>
  );
}

/** One of a few. */
export function ChoiceInput<I extends Inputs>(
  props: InputProps<I> & Pick<ChoiceProps, "options">,
): JSX.Element {
  const { form, name, label, options } = props;
  const { id, value = "" } = shownIn(form, name, props.value);
  return <Choice {...{ id, name, label, options }} chosen={value} />;
}

/** A box to tick, which is sent as 1. One that is not ticked is sent, too. */
export function TickInput<I extends Inputs>(
  props: Omit<InputProps<I>, "value"> & { readonly isOn: boolean },
): JSX.Element {
  const { form, name, label, hint, isOn } = props;
  const { id, value } = shownIn(form, name, isOn ? "1" : "0");
  return (
    <>
      <input type="hidden" name={name} value="0" />
      <label class="ticked">
        <input
          id={id}
          type="checkbox"
          name={name}
          value="1"
          {...descriptionOf({ id, hint })}
          {...(value === "1" && { checked: true })}
        />
        <span safe>{label}</span>
      </label>
      {hint !== undefined && <Hint id={`${id}-hint`} text={hint} />}
    </>
  );
}

export interface ActionButtonProps extends Pick<ActionFormProps, "form" | "at"> {
  readonly label: string;
}

/** A button for an action that is taken at once. */
export const ActionButton = ({ form, at, label }: ActionButtonProps): JSX.Element => (
  <ActionForm form={form} class="" at={at}>
    <Submit label={label} class="quiet" />
  </ActionForm>
);

export interface ConfirmedActionProps extends ActionButtonProps {
  /** What will happen. */
  readonly consequence: string;
  /** The label of the button that takes the action; without it, the same as `label`. */
  readonly go?: string;
}

/** A button for an action that cannot be undone, which is taken by a second button. */
export const ConfirmedAction = (props: ConfirmedActionProps): JSX.Element => (
  <Confirm label={props.label} consequence={props.consequence}>
    <ActionForm form={props.form} at={props.at}>
      <Submit label={props.go ?? props.label} class="bad" />
    </ActionForm>
  </Confirm>
);

/**
 * What a form has sent for an action. What may be empty and is counts as not given. Of several texts the
 * empty ones are left out, unless all are empty.
 */
export async function textsIn(form: FormData, { inputs }: AnyAction): Promise<Texts> {
  const texts: Record<string, string | readonly string[]> = {};
  for (const [name, input] of Object.entries(inputs)) {
    const file = form.get(name);
    if (input.isFile && file instanceof Blob) texts[name] = (await file.bytes()).toBase64();
    const sent = form.getAll(name).filter((value) => typeof value === "string");
    const last = sent.at(-1);
    if (last === undefined) continue;
    const filled = sent.map((text) => text.trim()).filter((text) => text !== "");
    if (input.several && filled.length > 0) texts[name] = filled;
    else if (input.type?.kind === "lines") texts[name] = last;
    else if (last.trim() !== "" || !mayBeEmpty(input)) texts[name] = last.trim();
  }
  return texts;
}
