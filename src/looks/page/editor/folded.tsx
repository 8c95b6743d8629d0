import { type Children, Html } from "../../../jsx.ts";

interface FoldedProps {
  readonly title: string;
  /** What it is called besides `group`. */
  readonly class?: string;
  readonly children: Children;
}

/** A group of controls that is folded away. Attributes by which its script finds it are its own. */
export const Folded = ({ title, children, ...attributes }: FoldedProps): JSX.Element => (
  <details {...attributes} class={["group", attributes.class].join(" ").trim()}>
    <summary>
      <h2 safe>{title}</h2>
    </summary>
    <div class="rows">{children as "safe"}</div>
  </details>
);
