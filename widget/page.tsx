import { Html } from "../src/jsx.ts";
import type { WidgetOptions } from "./options.ts";
import type { WidgetState } from "./state.ts";
import { coverStyles, optionStyles } from "./styles.ts";
import {
  cardTexts,
  clockText,
  cardFlags,
  coverPath,
  directionOf,
  isHiddenAtFirst,
  pageAttributes,
  positionAfter,
  progressShare,
  trackOf,
} from "./view.ts";
import type { WidgetWords } from "./words.ts";

/** The data that the page passes to its script. */
export interface WidgetSetup {
  readonly options: WidgetOptions;
  readonly words: WidgetWords;
  /** Sentences for the browser's console about invalid options. */
  readonly warnings: readonly string[];
  /** The version of the server that drew the page. */
  readonly version: string;
  /** The fingerprint of the look that the page has. */
  readonly look: string;
  /** The track that the page already shows. */
  readonly trackId?: string | undefined;
}

export interface WidgetPageProps extends WidgetSetup {
  /** Language of the texts, as an HTML language tag such as `pt-BR`. */
  readonly languageTag: string;
  /** The widget's own CSS. */
  readonly css: string;
  /** `undefined` while nothing is known yet. */
  readonly state: WidgetState | undefined;
  /** Paths on this server. */
  readonly iconPath: string;
  readonly stylesheetPath: string;
  readonly scriptPath: string;
}

/** The whole overlay, correct from its first paint. */
export function WidgetPage(props: WidgetPageProps): JSX.Element {
  const { options, words, warnings, version, look, state, languageTag } = props;
  const track = trackOf(state);
  const setup: WidgetSetup = { options, words, warnings, version, look, trackId: track?.id };
  const safeOptionStyles = optionStyles(options);
  const safeCss = styleText(props.css);
  const safeCoverStyles = coverStyles(track, options);
  return (
    <>
      {"<!doctype html>"}
      <html
        lang={languageTag}
        {...pageAttributes(options)}
        data-np-state={state?.kind ?? "loading"}
        {...flagAttributes(state, options)}
        data-np-hidden={state !== undefined && isHiddenAtFirst(state, options)}
        data-np-setup={attributeJson(setup)}
      >
        <head>
          <meta charset="utf-8" />
          <title>Marquee</title>
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <link rel="icon" href={props.iconPath} />
          <link rel="stylesheet" href={props.stylesheetPath} />
          <style class="np-option-styles">{safeOptionStyles}</style>
          <style class="np-cover-styles">{safeCoverStyles}</style>
          <style class="np-widget-styles">{safeCss}</style>
          <script defer src={props.scriptPath} />
        </head>
        <body>
          <main class="np" aria-label={words.overlay}>
            <Card {...props} />
            <p class="np-sr" role="status" />
          </main>
        </body>
      </html>
    </>
  );
}

const flagAttributes = (state: WidgetState | undefined, options: WidgetOptions) =>
  Object.fromEntries(
    Object.entries(cardFlags(state, options)).map(([name, on]) => [`data-np-${name}`, on]),
  );

/** JSON for an attribute, without characters that HTML would read as the start of an entity. */
function attributeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("&", "\\u0026");
}

/** CSS for a style element: nothing in it may end the element. `\\/` means `/` in CSS. */
function styleText(css: string): string {
  return css.replaceAll("</", "<\\/");
}

function Card({ state, options, words }: WidgetPageProps) {
  const texts = cardTexts(state ?? { kind: "idle" }, options, words);
  const track = trackOf(state);
  const art = coverPath(track, options);
  const positionMs = state ? positionAfter(state, options.delay * -1000) : null;
  const share = state ? progressShare(state, positionMs) : null;
  const duration = track?.durationMs ? clockText(track.durationMs) : "";
  return (
    <div class="np-card" dir={directionOf(texts.title)}>
      <div class="np-backdrop" />
      <div class="np-art">
        <svg class="np-face" viewBox="0 0 24 24" aria-hidden="true">
          <rect class="np-face-plate" width="24" height="24" />
          <path class="np-face-sign" />
        </svg>
        <img class="np-art-img" alt="" {...(art && { src: art })} />
      </div>
      <div class="np-info">
        <div class="np-label" safe>
          {texts.label}
        </div>
        <div class="np-title np-marquee">
          <bdi class="np-marquee-text" dir="auto" safe>
            {texts.title}
          </bdi>
        </div>
        <div class="np-artist np-marquee">
          <bdi class="np-marquee-text" dir="auto" safe>
            {texts.artist}
          </bdi>
        </div>
        <div class="np-album" dir="auto" safe>
          {texts.album}
        </div>
        <div class="np-progress" aria-hidden="true" hidden={share === null || !options.progress}>
          <div class="np-progress-fill" style={`transform:scaleX(${(share ?? 0).toFixed(4)})`} />
        </div>
        <div class="np-time" aria-hidden="true" hidden={positionMs === null || !options.time}>
          <span class="np-elapsed" safe>
            {clockText(positionMs ?? 0)}
          </span>
          <span class="np-duration" safe>
            {duration}
          </span>
        </div>
      </div>
    </div>
  );
}
