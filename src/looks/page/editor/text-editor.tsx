import { PAGE_WAITS_MS } from "../../../channels/first-answer.ts";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { attribute } from "../../../html/attribute.ts";
import { pathTo } from "../../../html/section-paths.ts";
import type { Parts } from "../../../http/parts.ts";
import { Html } from "../../../jsx.ts";
import { DEFAULT_TEMPLATE, lineValuesOf } from "../../../outputs/line.ts";
import { LONGEST_TEMPLATE } from "../../../outputs/options.ts";
import { PLACEHOLDERS } from "../../../outputs/template.ts";
import { testTrack } from "../../../outputs/test-track.ts";
import { lineWords, USUAL_MOST } from "../../../outputs/text.ts";
import type { Playback } from "../../../playback.ts";
import { type Edited, editorPage, ReplaceAddress } from "./editor-page.tsx";
import { Switch } from "./output-parts.tsx";
import { FORM, SaveBar } from "./save-bar.tsx";
import type { SetupOf, TextSetup } from "./setup.ts";
import { Hint, LinkButton, Titled } from "../../../html/parts.tsx";

export type TextEditorDeps = Pick<Parts, "hub" | "clock">;

const TEMPLATES = ["template", "pausedTemplate", "idleTemplate"] as const;

/** The line for chat bots: its words, and what it looks like. The page Chat has it for each bot. */
export async function textEditor(deps: TextEditorDeps, edited: Edited): Promise<Response> {
  const { request, widget } = edited;
  const { text: t } = request.words.outputs;
  const language = widget.language ?? request.language;
  const sample = await sampleFor(deps, request);
  const nowMs = deps.clock.monotonicMs();
  const songIn = (state: Playback["state"]) =>
    lineValuesOf(
      { kind: "playback", playback: { ...sample, state }, connectionId: undefined },
      nowMs,
    );
  const setup: SetupOf<TextSetup> = {
    words: lineWords(language),
    songs: [songIn("playing"), songIn("paused"), lineValuesOf({ kind: "nothing" }, nowMs)],
    most: USUAL_MOST,
  };
  return editorPage({
    edited,
    lead: t.lead,
    setup,
    editor: (
      <>
        <Titled title={t.preview}>
          <dl class="lines" data-lines aria-live="polite">
            {[t.playing, t.paused, t.idle].map((label) => (
              <div>
                <dt safe>{label}</dt>
                <dd dir="auto" />
              </div>
            ))}
          </dl>
        </Titled>
        <Titled title={t.templates}>
          <form id={FORM} class="form wide" method="dialog" data-output>
            <TemplateFields edited={edited} words={setup.words} />
          </form>
          <SaveBar request={request} />
        </Titled>
      </>
    ),
    children: (
      <>
        <p class="actions">
          <LinkButton label={t.bots} href={`${pathTo(request, "chat")}?with=bot`} />
        </p>
        <ReplaceAddress edited={edited} consequence={t.rotateText} />
      </>
    ),
  });
}

/** What the user plays now, else an invented track. */
async function sampleFor(
  { hub, clock }: TextEditorDeps,
  { user, words }: DashboardRequest,
): Promise<Playback> {
  const reading = hub.peek(user.id) ?? (await hub.read(user.id, PAGE_WAITS_MS));
  return reading.kind === "playback" ? reading.playback : testTrack(words, clock.monotonicMs());
}

function TemplateFields(props: {
  readonly edited: Edited;
  readonly words: TextSetup["words"];
}): JSX.Element {
  const { edited, words } = props;
  const { text: t } = edited.request.words.outputs;
  const playing = edited.widget.options["template"] ?? DEFAULT_TEMPLATE;
  const defaults = {
    template: DEFAULT_TEMPLATE,
    pausedTemplate: `${playing} (${words.paused})`,
    idleTemplate: words.nothingPlaying,
  };
  return (
    <>
      {TEMPLATES.map((name) => (
        <div class="field" data-control={name}>
          <label for={name} safe>
            {t[name]}
          </label>
          <Hint id={`${name}-hint`} text={t.byDefault.replace("{text}", () => defaults[name])} />
          <input
            id={name}
            name={name}
            autocomplete="off"
            spellcheck="false"
            maxlength={String(LONGEST_TEMPLATE)}
            aria-describedby={`${name}-hint`}
          />
          <p
            class="mistake"
            id={`${name}-mistake`}
            hidden
            data-unknown={attribute(t.unknown)}
            data-unbalanced={attribute(t.unbalanced)}
            safe
          >
            {t.tooLong}
          </p>
        </div>
      ))}
      <h3 safe>{t.placeholders}</h3>
      <ul class="placeholders">
        {PLACEHOLDERS.map((name) => (
          <li>
            <button type="button" class="quiet" data-insert={`{${name}}`}>
              <code safe>{`{${name}}`}</code> <span safe>{t.meanings[name]}</span>
            </button>
          </li>
        ))}
      </ul>
      <Hint text={t.brackets} />
      <Switch name="url" label={t.url} />
    </>
  );
}
