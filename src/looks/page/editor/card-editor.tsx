import { outputAddress, pageAddress } from "../../../addresses.ts";
import { Pills } from "../../../html/form.tsx";
import { attribute } from "../../../html/attribute.ts";
import { Copies, Titled } from "../../../html/parts.tsx";
import { Html } from "../../../jsx.ts";
import { type Edited, editorPage, ReplaceAddress } from "./editor-page.tsx";
import { Switch, Unreachable } from "./output-parts.tsx";
import { FORM, SaveBar } from "./save-bar.tsx";

/** The card: what it looks like, and what to put into a page. */
export function cardEditor(edited: Edited): Promise<Response> {
  const { request } = edited;
  const { card: t } = request.words.outputs;
  return editorPage({
    edited,
    lead: t.lead,
    setup: {},
    editor: (
      <Titled title={t.preview}>
        <Preview {...edited} />
        <form id={FORM} class="form wide" method="dialog" data-output>
          <Pills
            legend={t.mode}
            name="mode"
            choices={[
              { value: "auto", label: t.modes.auto },
              { value: "dark", label: t.modes.dark },
              { value: "light", label: t.modes.light },
            ]}
          />
          <Switch name="progress" label={t.progress} />
          <Switch name="source" label={t.source} />
        </form>
        <SaveBar request={request} />
      </Titled>
    ),
    children: (
      <>
        <Titled title={t.use}>
          <p safe>{t.public}</p>
          <Unreachable request={request} />
          <Snippets {...edited} />
        </Titled>
        <ReplaceAddress edited={edited} consequence={t.rotateText} />
      </>
    ),
  });
}

/** The picture as it is saved. The script asks for it as it is edited. */
function Preview({ request, widget, token }: Edited): JSX.Element {
  const { basePath, language, words } = request;
  return (
    <p class="card-drawing">
      <img
        src={attribute(outputAddress(basePath, widget.language ?? language, "card", token))}
        alt={attribute(words.outputs.card.alt)}
        width="400"
        height="100"
        data-card
      />
    </p>
  );
}

/** What to copy. The addresses are hidden until they are shown, since the page may be on air. */
function Snippets({ request, widget, token }: Edited): JSX.Element {
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
    <Copies
      language={language}
      texts={snippets.map((snippet) => ({ ...snippet, isSecret: true }))}
    />
  );
}
