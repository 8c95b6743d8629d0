import { type Language, languages } from "../i18n/index.ts";
import { Html } from "../jsx.ts";

/** A text with a button that copies it. */
export function Copyable({ language, text }: { language: Language; text: string }): JSX.Element {
  const { parts } = languages[language];
  return (
    <div class="copyable">
      <code safe>{text}</code>
      <button class="quiet" type="button" hidden data-copy={text} data-copied={parts.copied} safe>
        {parts.copy}
      </button>
    </div>
  );
}
export { attribute } from "./attribute.ts";
