import { attribute } from "../../../html/attribute.ts";
import { Html } from "../../../jsx.ts";
import { Submit, Hint } from "../../../html/parts.tsx";
import { Folded } from "./folded.tsx";

export interface UploadGroupProps {
  /** By which its script finds it. */
  readonly name: "fonts" | "stand-in";
  readonly title: string;
  readonly text: string;
  /** The largest file, in bytes, and what is said of a larger one. */
  readonly largest: number;
  readonly tooLarge: string;
  /** What the user has, which the script fills in. */
  readonly current: JSX.Element;
  /** The fields of the form, a file among them. */
  readonly fields: JSX.Element;
  readonly go: string;
  /** What is said once a file is uploaded, and once one is removed. */
  readonly added: string;
  readonly removed: string;
}

/** A group of the editor in which files of the user's own are uploaded and removed. */
export function UploadGroup(props: UploadGroupProps): JSX.Element {
  const { name, title, text, largest, tooLarge, current, fields, go, added, removed } = props;
  return (
    <Folded title={title} class="uploads" data-uploads={name}>
      <Hint text={text} />
      {current as "safe"}
      <form
        class="form"
        method="dialog"
        data-largest={String(largest)}
        data-too-large={attribute(tooLarge)}
      >
        {fields as "safe"}
        <p class="actions">
          <Submit label={go} class="quiet" />
        </p>
      </form>
      <p
        class="outcome"
        role="status"
        data-outcome
        data-added={attribute(added)}
        data-removed={attribute(removed)}
      />
    </Folded>
  );
}
