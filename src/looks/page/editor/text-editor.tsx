import { PAGE_WAITS_MS } from "../../../channels/first-answer.ts";
import { outputAddress } from "../../../addresses.ts";
import { fieldOf } from "../../../http/form-field.ts";
import { fill, type Words } from "../../../i18n/index.ts";
import { Html } from "../../../jsx.ts";
import { bots, type Bot } from "../../../outputs/bots.ts";
import { DEFAULT_TEMPLATE, lineOf, lineValuesOf } from "../../../outputs/line.ts";
import { readTextOptions, textOptions } from "../../../outputs/options.ts";
import { reachOf } from "../../../outputs/reach.ts";
import { isMistake, parseTemplate, PLACEHOLDERS } from "../../../outputs/template.ts";
import { lineWords, USUAL_MOST } from "../../../outputs/text.ts";
import type { Playback } from "../../../playback.ts";
import { HiddenCopyable } from "../../../html/parts.tsx";
import { Field } from "../../../dashboard/form.tsx";
import {
  createOutputEditor,
  type EditorView,
  type OutputEditor,
  type OutputEditorDeps,
} from "./output-editor.tsx";
import { EditorForm, Switch, Unreachable } from "./output-parts.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { testTrack } from "../../../dashboard/test-track.ts";
import type { Parts } from "../../../http/parts.ts";

export type TextEditorDeps = OutputEditorDeps & Pick<Parts, "hub" | "clock">;

const TEMPLATES = ["template", "pausedTemplate", "idleTemplate"] as const;

/** The line for chat bots: its words, what it looks like, and what to enter in each bot. */
export function createTextEditor(deps: TextEditorDeps): OutputEditor {
  const { hub, clock } = deps;

  /** What the user plays now, else an invented track. */
  const sampleFor = async ({ user, words }: DashboardRequest): Promise<Playback> => {
    const reading = hub.peek(user.id) ?? (await hub.read(user.id, PAGE_WAITS_MS));
    return reading.kind === "playback" ? reading.playback : testTrack(words, clock.monotonicMs());
  };

  return createOutputEditor(deps, {
    readForm: (form) => ({
      ...Object.fromEntries(TEMPLATES.map((name) => [name, fieldOf(form, name)])),
      url: fieldOf(form, "url") === "1" ? "1" : "",
    }),
    optionsOf(request, widget, typed) {
      if (TEMPLATES.some((name) => mistakeIn(request.words, typed[name] ?? ""))) return undefined;
      const kept = Object.entries({ ...widget.options, ...typed });
      return Object.fromEntries(kept.filter(([, value]) => value !== ""));
    },
    async draw(view) {
      const { request, widget, token } = view;
      const { words, baseUrl, language } = request;
      const { text: t } = words.outputs;
      const address = outputAddress(baseUrl, widget.language ?? language, "text", token);
      return (
        <>
          <section>
            <h2 safe>{t.preview}</h2>
            <Preview {...view} sample={await sampleFor(request)} nowMs={clock.monotonicMs()} />
          </section>
          <section>
            <h2 safe>{t.templates}</h2>
            <EditorForm {...view}>
              <TemplateFields {...view} />
            </EditorForm>
          </section>
          <Bots request={request} address={address} />
        </>
      );
    },
  });
}

function mistakeIn({ outputs }: Words, template: string): string | undefined {
  const parsed = parseTemplate(template);
  if (isMistake(parsed)) {
    return parsed.kind === "unknown"
      ? fill(outputs.text.unknown, { name: parsed.name })
      : fill(outputs.text.unbalanced, { bracket: parsed.bracket });
  }
  return textOptions.template.parse(template) === undefined ? outputs.text.tooLong : undefined;
}

function Preview({
  request,
  widget,
  typed,
  sample,
  nowMs,
}: EditorView & { readonly sample: Playback; readonly nowMs: number }): JSX.Element {
  const { text: t } = request.words.outputs;
  const look = {
    options: readTextOptions(typed),
    words: lineWords(widget.language ?? request.language),
    most: USUAL_MOST,
  };
  const playing = (state: Playback["state"]) =>
    lineValuesOf(
      { kind: "playback", playback: { ...sample, state }, connectionId: undefined },
      nowMs,
    );
  const lines = [
    { label: t.playing, content: playing("playing") },
    { label: t.paused, content: playing("paused") },
    { label: t.idle, content: lineValuesOf({ kind: "nothing" }, nowMs) },
  ];
  return (
    <dl class="lines" data-preview aria-live="polite">
      {lines.map(({ label, content }) => (
        <div>
          <dt safe>{label}</dt>
          <dd dir="auto" safe>
            {lineOf(content, look)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function TemplateFields({ request, widget, typed }: EditorView): JSX.Element {
  const { text: t } = request.words.outputs;
  const { paused, nothingPlaying } = lineWords(widget.language ?? request.language);
  const playing = typed["template"] || DEFAULT_TEMPLATE;
  const defaults = {
    template: DEFAULT_TEMPLATE,
    pausedTemplate: `${playing} (${paused})`,
    idleTemplate: nothingPlaying,
  };
  return (
    <>
      {TEMPLATES.map((name) => (
        <Field
          id={name}
          label={t[name]}
          value={typed[name] ?? ""}
          hint={t.byDefault.replace("{text}", () => defaults[name])}
          mistake={mistakeIn(request.words, typed[name] ?? "")}
        />
      ))}
      <h3 safe>{t.placeholders}</h3>
      <ul class="placeholders">
        {PLACEHOLDERS.map((name) => (
          <li>
            <span data-insert={`{${name}}`}>
              <code safe>{`{${name}}`}</code> <span safe>{t.meanings[name]}</span>
            </span>
          </li>
        ))}
      </ul>
      <p class="hint" safe>
        {t.brackets}
      </p>
      <Switch name="url" label={t.url} isOn={typed["url"] === "1"} />
    </>
  );
}

function Bots({
  request,
  address,
}: {
  readonly request: DashboardRequest;
  readonly address: string;
}): JSX.Element {
  const { language, baseUrl, words } = request;
  const { text: t } = words.outputs;
  const isReachable = reachOf(baseUrl) === "public";
  const of = (place: Bot["place"]) => bots.filter((bot) => bot.place === place);
  return (
    <section class="bots">
      <h2 safe>{t.bots}</h2>
      <p safe>{t.botsLead}</p>
      <h3 safe>{t.hosted}</h3>
      <Unreachable baseUrl={baseUrl} reasons={t.unreachable} />
      <ul class="bot-list">
        {of("hosted").map((bot) => (
          <BotRow request={request} bot={bot} address={isReachable ? address : undefined} />
        ))}
      </ul>
      <h3 safe>{t.local}</h3>
      <ul class="bot-list">
        {of("local").map((bot) => (
          <BotRow request={request} bot={bot} address={address} />
        ))}
      </ul>
      <h3 safe>{t.address}</h3>
      <HiddenCopyable language={language} label={t.address} text={address} />
      <p class="hint" safe>
        {t.extras}
      </p>
    </section>
  );
}

/** @param address `undefined` when the bot cannot reach it */
function BotRow({
  request,
  bot,
  address,
}: {
  readonly request: DashboardRequest;
  readonly bot: Bot;
  readonly address: string | undefined;
}): JSX.Element {
  const { fields } = request.words.outputs.text;
  const hint = (fields as Readonly<Record<string, string>>)[bot.id];
  return (
    <li {...(address === undefined && { class: "unavailable" })}>
      <strong safe>{bot.name}</strong>
      {address === undefined ? (
        !bot.hasField && <code safe>{bot.commandFor("…")}</code>
      ) : (
        <>
          {hint !== undefined && (
            <p class="hint" safe>
              {hint}
            </p>
          )}
          <HiddenCopyable
            language={request.language}
            label={bot.name}
            text={bot.commandFor(address)}
          />
        </>
      )}
    </li>
  );
}
