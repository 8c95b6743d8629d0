import { PAGE_WAITS_MS } from "../../../channels/first-answer.ts";
import { outputAddress } from "../../../addresses.ts";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { attribute } from "../../../html/attribute.ts";
import { HiddenCopyable } from "../../../html/parts.tsx";
import type { Parts } from "../../../http/parts.ts";
import { Html } from "../../../jsx.ts";
import { bots, type Bot } from "../../../outputs/bots.ts";
import { DEFAULT_TEMPLATE, lineValuesOf } from "../../../outputs/line.ts";
import { LONGEST_TEMPLATE } from "../../../outputs/options.ts";
import { reachOf } from "../../../outputs/reach.ts";
import { PLACEHOLDERS } from "../../../outputs/template.ts";
import { testTrack } from "../../../outputs/test-track.ts";
import { lineWords, USUAL_MOST } from "../../../outputs/text.ts";
import type { Playback } from "../../../playback.ts";
import { type Edited, editorPage } from "./editor-page.tsx";
import { Switch, Unreachable } from "./output-parts.tsx";
import { FORM, SaveBar } from "./save-bar.tsx";
import type { SetupOf, TextSetup } from "./setup.ts";

export type TextEditorDeps = Pick<Parts, "hub" | "clock">;

const TEMPLATES = ["template", "pausedTemplate", "idleTemplate"] as const;

/** The line for chat bots: its words, what it looks like, and what to enter in each bot. */
export async function textEditor(deps: TextEditorDeps, edited: Edited): Promise<Response> {
  const { request, widget, token } = edited;
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
    rotateText: t.rotateText,
    editor: (
      <>
        <section>
          <h2 safe>{t.preview}</h2>
          <dl class="lines" data-lines aria-live="polite">
            {[t.playing, t.paused, t.idle].map((label) => (
              <div>
                <dt safe>{label}</dt>
                <dd dir="auto" />
              </div>
            ))}
          </dl>
        </section>
        <section>
          <h2 safe>{t.templates}</h2>
          <form id={FORM} class="form wide" method="dialog" data-output>
            <TemplateFields edited={edited} words={setup.words} />
          </form>
          <SaveBar request={request} />
        </section>
      </>
    ),
    children: (
      <Bots request={request} address={outputAddress(request.baseUrl, language, "text", token)} />
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
          <p class="hint" id={`${name}-hint`} safe>
            {t.byDefault.replace("{text}", () => defaults[name])}
          </p>
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
      <p class="hint" safe>
        {t.brackets}
      </p>
      <Switch name="url" label={t.url} />
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
