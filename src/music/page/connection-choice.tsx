import type { Inputs } from "../../actions/action.ts";
import { Html } from "../../jsx.ts";
import { ActionForm, ChoiceInput, type InputProps } from "../../dashboard/action-form.tsx";
import { Fold, type ChoiceProps } from "../../html/form.tsx";
import { Submit } from "../../html/parts.tsx";

interface ConnectionChoiceProps<I extends Inputs> extends Omit<InputProps<I>, "label" | "hint"> {
  readonly words: { readonly title: string; readonly show: string; readonly save: string };
  readonly options: ChoiceProps["options"];
  /** The query of the page on which the connection's row is open. */
  readonly at: string;
}

/** A choice for one connection, folded away in its row. */
export const ConnectionChoice = <I extends Inputs>({
  words: { title, show, save },
  at,
  ...choice
}: ConnectionChoiceProps<I>): JSX.Element => (
  <Fold label={title} isOpen={false}>
    <ActionForm form={choice.form} at={at}>
      <ChoiceInput {...choice} label={show} />
      <Submit label={save} />
    </ActionForm>
  </Fold>
);
