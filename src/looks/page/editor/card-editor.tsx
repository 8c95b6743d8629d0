import { outputAddress, pageAddress, withQuery } from "../../../addresses.ts";
import { fieldOf } from "../../../http/form-field.ts";
import { Html } from "../../../jsx.ts";
import { cardOptions, readCardOptions } from "../../../outputs/options.ts";
import { attribute } from "../../../html/attribute.ts";
import { HiddenCopyable } from "../../../html/parts.tsx";
import { Pills } from "../../../dashboard/form.tsx";
import {
  createOutputEditor,
  type EditorView,
  type OutputEditor,
  type OutputEditorDeps,
} from "./output-editor.tsx";
import { EditorForm, Switch, Unreachable } from "./output-parts.tsx";

const SWITCHES = ["progress", "source"] as const;

/** The card: what it looks like, and what to put into a page. */
export const createCardEditor = (deps: OutputEditorDeps): OutputEditor =>
  createOutputEditor(deps, {
    readForm: (form) => ({
      mode: cardOptions.mode.parse(fieldOf(form, "mode")) ?? cardOptions.mode.fallback,
      ...Object.fromEntries(
        SWITCHES.map((name) => [name, fieldOf(form, name) === "1" ? "1" : "0"]),
      ),
    }),
    optionsOf: (_, widget, typed) =>
      Object.fromEntries(
        Object.entries({ ...widget.options, ...typed }).filter(([name, value]) => {
          const known = Object.entries(cardOptions).find(([one]) => one === name);
          return !known || known[1].parse(value) !== known[1].fallback;
        }),
      ),
    draw(view) {
      const { words, baseUrl } = view.request;
      const { card: t } = words.outputs;
      return (
        <>
          <section>
            <h2 safe>{t.preview}</h2>
            <Preview {...view} />
            <EditorForm {...view}>
              <Choices {...view} />
            </EditorForm>
          </section>
          <section>
            <h2 safe>{t.use}</h2>
            <p safe>{t.public}</p>
            <Unreachable baseUrl={baseUrl} reasons={t.unreachable} />
            <Snippets {...view} />
          </section>
        </>
      );
    },
  });

function Preview({ request, widget, typed, token }: EditorView): JSX.Element {
  const { basePath, language, words } = request;
  const { mode, progress, source } = readCardOptions(typed, new URLSearchParams());
  const query = new URLSearchParams({
    mode,
    progress: progress ? "1" : "0",
    source: source ? "1" : "0",
  });
  const address = outputAddress(basePath, widget.language ?? language, "card", token);
  return (
    <p class="card-drawing" data-preview>
      <img
        src={attribute(withQuery(address, query))}
        alt={attribute(words.outputs.card.alt)}
        width="400"
        height="100"
      />
    </p>
  );
}

function Choices({ request, typed }: Pick<EditorView, "request" | "typed">): JSX.Element {
  const { card: t } = request.words.outputs;
  const options = readCardOptions(typed, new URLSearchParams());
  return (
    <>
      <Pills
        legend={t.mode}
        name="mode"
        choices={[
          { value: "auto", label: t.modes.auto },
          { value: "dark", label: t.modes.dark },
          { value: "light", label: t.modes.light },
        ]}
        chosen={options.mode}
      />
      {SWITCHES.map((name) => (
        <Switch name={name} label={t[name]} isOn={options[name]} />
      ))}
    </>
  );
}

/** What to copy. The addresses are hidden until they are shown, since the page may be on air. */
function Snippets({ request, widget, token }: EditorView): JSX.Element {
  const { baseUrl, language, words } = request;
  const { card: t } = words.outputs;
  const spoken = widget.language ?? language;
  const picture = outputAddress(baseUrl, spoken, "card", token);
  const page = pageAddress(baseUrl, spoken, `card/${token}`);
  const snippets = [
    { label: t.address, text: picture },
    { label: t.markdown, text: `[![${t.alt}](${picture})](${page})` },
    {
      label: "HTML",
      text: `<a href="${page}"><img src="${picture}" alt="${t.alt}" width="400" height="100"></a>`,
    },
    { label: t.page, text: page, hint: t.pageHint },
  ];
  return (
    <dl class="copies">
      {snippets.map(({ label, text, hint }) => (
        <>
          <dt safe>{label}</dt>
          <dd>
            <HiddenCopyable language={language} label={label} text={text} />
            {hint !== undefined && (
              <p class="hint" safe>
                {hint}
              </p>
            )}
          </dd>
        </>
      ))}
    </dl>
  );
}
