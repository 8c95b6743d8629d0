import type { Inputs } from "../../actions/action.ts";
import { Html } from "../../jsx.ts";
import { ActionForm, ChoiceInput, type InputProps } from "../../dashboard/action-form.tsx";
import { Fold, type ChoiceProps } from "../../dashboard/form.tsx";

interface ConnectionChoiceProps<I extends Inputs> extends Omit<InputProps<I>, "label" | "hint"> {
  readonly words: { readonly title: string; readonly show: string; readonly save: string };
  readonly options: ChoiceProps["options"];
}

/** A choice for one connection, folded away on its card. */
export const ConnectionChoice = <I extends Inputs>({
  words: { title, show, save },
  ...choice
}: ConnectionChoiceProps<I>): JSX.Element => (
  <Fold label={title} isOpen={false}>
    <ActionForm form={choice.form}>
      <>
        <ChoiceInput {...choice} label={show} />
        <button type="submit" safe>
          {save}
        </button>
      </>
    </ActionForm>
  </Fold>
);
