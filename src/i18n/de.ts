import type { Words } from "./en.ts";

export const de: Words = {
  endonym: "Deutsch",
  widget: {
    nowPlaying: "Läuft gerade",
    paused: "Pausiert",
    nothingPlaying: "Keine Wiedergabe",
    by: "von",
    overlay: "Musik, die gerade läuft",
  },
  home: {
    title: "Marquee: was gerade läuft, in deinem Stream",
    lead: "Dieser Server sagt Streams und Bots, was seine Nutzer gerade hören.",
    apiTitle: "Die API",
    apiText: "Eine Anfrage mit deinem Schlüssel liefert Titel, Künstler, Album und Position.",
    widgetTitle: "Das Overlay",
    widgetText:
      "Füge die Adresse deines Widgets in OBS als Browserquelle hinzu, 500 breit und 120 hoch. Der Hintergrund ist durchsichtig.",
    descriptionLink: "Beschreibung der API (OpenAPI)",
    languages: "Sprachen",
  },
  notFound: {
    title: "Hier ist nichts",
    text: "Vielleicht ist die Adresse vertippt, oder sie wurde durch eine neue ersetzt.",
  },
};
