import { BOT_WAITS_MS } from "../channels/first-answer.ts";
import { outputAddress, pageAddress } from "../addresses.ts";
import type { Reading } from "../channels/reading.ts";
import { plainText } from "../http/plain-text.ts";
import { languages } from "../i18n/index.ts";
import { Html } from "../jsx.ts";
import { type Language, languageTag } from "../languages.ts";
import { cardNames, describe } from "./card.ts";
import { type Guard, refusalOf } from "./guard.ts";
import { attribute } from "../html/attribute.ts";
import { Document, htmlResponse } from "../html/html.tsx";
import type { Parts } from "../http/parts.ts";
import { Lead } from "../html/parts.tsx";

export interface CardPageDeps extends Parts {
  readonly guard: Guard;
}

/** `GET /{lang}/card/{token}`: a page around the card, for links; `undefined` for a wrong token. */
export type CardPage = (
  language: Language,
  token: string,
  request: Request,
) => Promise<Response | undefined>;

export function createCardPage(deps: CardPageDeps): CardPage {
  const { guard, hub, artworks, baseUrl, basePath } = deps;
  return async (addressLanguage, token, request) => {
    const admission = guard("card", token, request);
    if (admission.kind === "wrong") return undefined;
    if (admission.kind === "limited") return plainText(...refusalOf(addressLanguage, admission));
    const { user, widget } = admission;
    const language = widget.language ?? addressLanguage;
    const reading = hub.peek(user.id) ?? (await hub.read(user.id, BOT_WAITS_MS));
    const { title, description, artwork } = shownOf(reading, language);
    const picture = artwork && baseUrl + artworks.pathOf(artwork, "640.jpg", user.id);
    const path = `card/${token}`;
    const facts = {
      language,
      title,
      description,
      picture,
      address: pageAddress(baseUrl, addressLanguage, path),
    };
    const page = (
      <Document
        language={language}
        title={`${title} · Marquee`}
        path={path}
        basePath={basePath}
        head={<OpenGraph {...facts} />}
      >
        <h1 safe>{title}</h1>
        <Lead text={description} />
        <p class="shared-card">
          <img
            src={attribute(outputAddress(basePath, addressLanguage, "card", token))}
            alt={attribute(description)}
            width="400"
            height="100"
          />
        </p>
      </Document>
    );
    return htmlResponse(page);
  };
}

function shownOf(reading: Reading, language: Language) {
  const words = languages[language];
  if (reading.kind !== "playback") {
    const text = words.widget.nothingPlaying;
    return { title: text, description: words.outputs.idlePage, artwork: undefined };
  }
  const { playback } = reading;
  const state = playback.state === "paused" ? words.widget.paused : words.widget.nowPlaying;
  const { title: named, artist } = cardNames(playback);
  const title = named || words.widget.nowPlaying;
  return {
    title: artist === "" ? title : `${title} – ${artist}`,
    description: describe(words, state, title, artist),
    artwork: playback.album.artworks[0],
  };
}

interface OpenGraphProps {
  readonly language: Language;
  readonly title: string;
  readonly description: string;
  /** Absolute addresses of the page and of its picture. */
  readonly address: string;
  readonly picture: string | undefined;
}

/** What chats and networks show for a link to the page: https://ogp.me */
function OpenGraph(props: OpenGraphProps): JSX.Element {
  const { language, title, description, address, picture } = props;
  return (
    <>
      <meta name="description" content={attribute(description)} />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content="Marquee" />
      <meta property="og:locale" content={languageTag(language).replace("-", "_")} />
      <meta property="og:title" content={attribute(title)} />
      <meta property="og:description" content={attribute(description)} />
      <meta property="og:url" content={address} />
      {picture === undefined ? "" : <meta property="og:image" content={attribute(picture)} />}
      <meta name="twitter:card" content="summary" />
    </>
  );
}
