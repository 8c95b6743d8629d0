import { outputAddress, pageAddress } from "../../addresses.ts";
import { fieldOf } from "../../http/form-field.ts";
import { Html } from "../../jsx.ts";
import { cardOptions, readCardOptions } from "../../outputs/options.ts";
import { outputEditorScript } from "../../html/assets.ts";
import { attribute } from "../../html/attribute.ts";
import { HiddenCopyable } from "../../html/parts.tsx";
import { withQuery } from "../widgets/editor-query.ts";
import { dashboardPage } from "../frame.tsx";
import { galleryOf } from "../widgets/gallery-link.ts";
import {
  type Answer,
  EditorForm,
  neverSaved,
  type OutputEditor,
  type OutputEditorDeps,
  type OutputWidget,
  ReplaceAddress,
  rotateToken,
  saveOptions,
  Switch,
  Unreachable,
} from "./output-parts.tsx";
import type { DashboardRequest } from "../request.ts";
import { Pills } from "../widgets/controls.tsx";
import { editedRevision } from "../widgets/draft.tsx";

const SWITCHES = ["progress", "source"] as const;

/** What is in the form, by option. */
type Typed = Readonly<Record<string, string>>;

/** The card: what it looks like, and what to put into a page. */
export function createCardEditor(deps: OutputEditorDeps): OutputEditor {
  const { accounts } = deps;

  const draw = async (
    request: DashboardRequest,
    widget: OutputWidget,
    typed: Typed,
    basedOn: number,
    { status = 200, notice }: Answer = {},
  ): Promise<Response> => {
    const { words, user, baseUrl } = request;
    const { card: t } = words.outputs;
    const token = await accounts.widgets.tokenOf(user, widget.id);
    const page = {
      request,
      title: widget.name,
      parent: galleryOf(request),
      lead: t.lead,
      scripts: [outputEditorScript.path],
      notice,
      children: (
        <>
          <section>
            <h2 safe>{t.preview}</h2>
            <Preview request={request} widget={widget} typed={typed} token={token} />
            <EditorForm request={request} widget={widget} basedOn={basedOn}>
              <Choices request={request} typed={typed} />
            </EditorForm>
          </section>
          <section class="use-card">
            <h2 safe>{t.use}</h2>
            <p safe>{t.public}</p>
            <Unreachable baseUrl={baseUrl} reasons={t.unreachable} />
            <Snippets request={request} widget={widget} token={token} />
          </section>
          <ReplaceAddress request={request} widget={widget} consequence={t.rotateText} />
        </>
      ),
    };
    return dashboardPage(page, status);
  };

  return {
    show: (request, widget) => draw(request, widget, widget.options, widget.revision),
    async act(request, form, widget) {
      const action = fieldOf(form, "do");
      if (action === "rotate") return rotateToken(deps, request, widget);
      const typed = readForm(form);
      const basedOn = editedRevision(form, widget);
      if (basedOn === undefined) {
        return draw(request, widget, widget.options, widget.revision, neverSaved(request, widget));
      }
      if (action !== "save") return draw(request, widget, typed, basedOn);
      const options = Object.fromEntries(
        Object.entries({ ...widget.options, ...typed }).filter(([name, value]) => {
          const known = Object.entries(cardOptions).find(([one]) => one === name);
          return !known || known[1].parse(value) !== known[1].fallback;
        }),
      );
      return saveOptions(deps, request, widget, options, basedOn);
    },
  };
}

const readForm = (form: FormData): Typed => ({
  mode: cardOptions.mode.parse(fieldOf(form, "mode")) ?? cardOptions.mode.fallback,
  ...Object.fromEntries(SWITCHES.map((name) => [name, fieldOf(form, name) === "1" ? "1" : "0"])),
});

interface CardProps {
  readonly request: DashboardRequest;
  readonly widget: OutputWidget;
  readonly token: string;
}

function Preview({
  request,
  widget,
  typed,
  token,
}: CardProps & { readonly typed: Typed }): JSX.Element {
  const { basePath, language, words } = request;
  const { mode, progress, source } = readCardOptions(typed, new URLSearchParams());
  const query = new URLSearchParams({
    mode,
    progress: progress ? "1" : "0",
    source: source ? "1" : "0",
  });
  const address = outputAddress(basePath, widget.language ?? language, "card", token);
  return (
    <p class="card-preview" data-preview>
      <img
        src={attribute(withQuery(address, query))}
        alt={attribute(words.outputs.card.alt)}
        width="400"
        height="100"
      />
    </p>
  );
}

function Choices({
  request,
  typed,
}: {
  readonly request: DashboardRequest;
  readonly typed: Typed;
}): JSX.Element {
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
function Snippets({ request, widget, token }: CardProps): JSX.Element {
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
