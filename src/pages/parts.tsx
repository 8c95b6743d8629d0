import { type Language, languages } from "../i18n/index.ts";
import { Html } from "../jsx.ts";

/** A text with a button that copies it. */
export function Copyable({ language, text }: { language: Language; text: string }): JSX.Element {
  const { parts } = languages[language];
  return (
    <div class="copyable">
      {/* It can be wider than its place, and is then moved with the keyboard. */}
      <code tabindex="0" safe>
        {text}
      </code>
      <button class="quiet" type="button" hidden data-copy={text} data-copied={parts.copied} safe>
        {parts.copy}
      </button>
    </div>
  );
}
