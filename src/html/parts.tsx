import { pageAddress } from "../addresses.ts";
import { languages } from "../i18n/index.ts";
import { type Language, LANGUAGES, languageTag } from "../languages.ts";
import { Html } from "../jsx.ts";
import { attribute } from "./attribute.ts";

interface TitledProps extends Omit<JSX.HtmlTag, "title"> {
  readonly title: string;
}

/** A section with its heading. */
export const Titled = ({ title, children, ...attributes }: TitledProps): JSX.Element => (
  <section {...attributes}>
    <h2 safe>{title}</h2>
    {children as "safe"}
  </section>
);

/** What a page is for, below its heading. */
export const Lead = ({ text }: { readonly text: string }): JSX.Element => (
  <p class="lead" safe>
    {text}
  </p>
);

interface HintProps {
  readonly text: string;
  readonly id?: string;
}

/** A sentence of help. */
export const Hint = ({ text, ...attributes }: HintProps): JSX.Element => (
  <p class="hint" {...attributes} safe>
    {text}
  </p>
);

interface StatusProps {
  readonly tone: "good" | "warn" | "bad" | "idle";
  readonly text: string;
}

/** How something is, with a dot of its colour. */
export const Status = ({ tone, text }: StatusProps): JSX.Element => (
  <p class={`status ${tone}`} safe>
    {text}
  </p>
);

interface ButtonProps extends Omit<JSX.HtmlButtonTag, "type"> {
  readonly label: string;
}

/** The button that sends a form. */
export const Submit = ({ label, ...attributes }: ButtonProps): JSX.Element => (
  <button type="submit" {...attributes} safe>
    {label}
  </button>
);

/** A button that the page's script follows. */
export const Button = ({ label, ...attributes }: ButtonProps): JSX.Element => (
  <button type="button" {...attributes} safe>
    {label}
  </button>
);

interface LinkButtonProps extends Omit<JSX.HtmlAnchorTag, "class" | "href"> {
  readonly label: string;
  readonly href: string;
  /** Whether it is what the page is for: others are quiet. */
  readonly isMain?: boolean;
}

/** A hyperlink that looks like a button. */
export function LinkButton(props: LinkButtonProps): JSX.Element {
  const { label, href, isMain = false, ...attributes } = props;
  return (
    <a class={isMain ? "button" : "button quiet"} href={attribute(href)} {...attributes} safe>
      {label}
    </a>
  );
}

/** A text with a button that copies it. */
export function Copyable({ language, text }: { language: Language; text: string }): JSX.Element {
  const { parts } = languages[language];
  return (
    <div class="copyable">
      {/* The text can be wider than its box; the tab index lets the keyboard scroll it. */}
      <code tabindex="0" safe>
        {text}
      </code>
      <Button
        label={parts.copy}
        class="quiet"
        hidden
        data-copy={attribute(text)}
        data-copied={parts.copied}
      />
    </div>
  );
}

export interface HiddenCopyableProps {
  readonly language: Language;
  /** What the text is, for its button. */
  readonly label: string;
  readonly text: string;
}

/** A secret that is hidden until it is shown, and can be copied without being shown. */
export function HiddenCopyable({ language, label, text }: HiddenCopyableProps): JSX.Element {
  const { parts } = languages[language];
  return (
    <div class="copyable secret">
      <Button
        label={parts.copy}
        class="quiet"
        hidden
        aria-label={attribute(`${parts.copy}: ${label}`)}
        data-copy={attribute(text)}
        data-copied={parts.copied}
      />
      <details>
        <summary class="button quiet" aria-label={attribute(`${parts.show}: ${label}`)} safe>
          {parts.show}
        </summary>
        <code tabindex="0" safe>
          {text}
        </code>
      </details>
    </div>
  );
}

/** A text to be copied, and what it is. */
export interface LabelledText {
  readonly label: string;
  readonly text: string;
  /** Whether it is hidden until it is shown. */
  readonly isSecret?: boolean;
  readonly hint?: string;
}

interface CopiesProps {
  readonly language: Language;
  readonly texts: readonly LabelledText[];
}

/** Texts to be copied, each below its label. */
export const Copies = ({ language, texts }: CopiesProps): JSX.Element => (
  <dl class="copies">
    {texts.map(({ label, text, isSecret = false, hint }) => (
      <>
        <dt safe>{label}</dt>
        <dd>
          {isSecret ? (
            <HiddenCopyable language={language} label={label} text={text} />
          ) : (
            <Copyable language={language} text={text} />
          )}
          {hint !== undefined && <Hint text={hint} />}
        </dd>
      </>
    ))}
  </dl>
);

export interface LanguageLinksProps {
  readonly language: Language;
  readonly basePath: string;
  /** Path of the page after the language. */
  readonly path: string;
}

/** Hyperlinks to a page's translations, each with the language's own name. */
export function LanguageLinks({ language, basePath, path }: LanguageLinksProps): JSX.Element {
  return (
    <nav class="languages" aria-label={languages[language].home.languages}>
      {LANGUAGES.map((other) => (
        <a
          href={pageAddress(basePath, other, path)}
          lang={languageTag(other)}
          {...(other === language && { "aria-current": "page" })}
          safe
        >
          {languages[other].endonym}
        </a>
      ))}
    </nav>
  );
}
