import { attribute } from "../../../html/attribute.ts";
import type { Inputs } from "../../../actions/action.ts";
import { ActionForm, type ActionFormProps, type FormOf } from "../../../dashboard/action-form.tsx";
import { Html } from "../../../jsx.ts";
import { Submit, Hint } from "../../../html/parts.tsx";
import { Confirm } from "../../../html/form.tsx";
import { Folded } from "./folded.tsx";

export interface UploadGroupProps {
  readonly name: "fonts" | "stand-in";
  readonly title: string;
  readonly text: string;
  /** The largest file, in bytes, and what is said of a larger one. */
  readonly largest: number;
  readonly tooLarge: string;
  /** A row for each file that the user has. */
  readonly current: JSX.Element;
  /** What uploads a file, where it is sent to, and its fields. */
  readonly form: FormOf<Inputs>;
  readonly below: NonNullable<ActionFormProps["below"]>;
  readonly fields: JSX.Element;
  readonly go: string;
  /** What is said once a file is uploaded, and once one is removed. */
  readonly added: string;
  readonly removed: string;
}

/** A group of the editor in which files of the user's own are uploaded and removed. */
export function UploadGroup(props: UploadGroupProps): JSX.Element {
  const { name, title, text, largest, tooLarge, current, form, below, fields, go } = props;
  return (
    <Folded
      title={title}
      class="uploads"
      data-uploads={name}
      data-largest={String(largest)}
      data-too-large={attribute(tooLarge)}
      data-added={attribute(props.added)}
      data-removed={attribute(props.removed)}
    >
      <Hint text={text} />
      <ul id={name} data-uploaded>
        {current as "safe"}
      </ul>
      <ActionForm form={form} below={below} multipart>
        {fields as "safe"}
        <p class="actions">
          <Submit label={go} class="quiet" />
        </p>
      </ActionForm>
      <p class="outcome" role="status" data-outcome />
    </Folded>
  );
}

interface RemoveUploadProps extends Pick<UploadGroupProps, "form"> {
  readonly words: Readonly<Record<"remove" | "removeText" | "removeGo", string>>;
  /** What is removed, where there may be several. */
  readonly name?: string;
}

/** Removes a file after a question. */
export const RemoveUpload = ({ form, words, name }: RemoveUploadProps): JSX.Element => (
  <Confirm label={words.remove} consequence={words.removeText}>
    <ActionForm form={form} class="">
      <Submit
        label={words.removeGo}
        class="bad"
        {...(name !== undefined && { "aria-label": attribute(`${words.removeGo}: ${name}`) })}
      />
    </ActionForm>
  </Confirm>
);
