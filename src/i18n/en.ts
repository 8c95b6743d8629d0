export const en = {
  /** The language's own name. */
  endonym: "English",
  widget: {
    nowPlaying: "Now playing",
    paused: "Paused",
    nothingPlaying: "Nothing playing",
    by: "by",
    /** What a screen reader says of the whole overlay. */
    overlay: "Music now playing",
  },
  home: {
    title: "Marquee: what is playing, on your stream",
    lead: "This server tells streams and bots what its users are listening to.",
    apiTitle: "The API",
    apiText: "One request with your key answers the track, the artist, the album and the position.",
    widgetTitle: "The overlay",
    widgetText:
      "Add your widget address to OBS as a browser source, 500 wide and 120 high. It is transparent.",
    descriptionLink: "API description (OpenAPI)",
    languages: "Languages",
  },
  notFound: {
    title: "There is nothing here",
    text: "The address may be mistyped, or it was replaced by a new one.",
  },
};

/** Every word the pages say. A language that lacks one is a type error. */
export type Words = typeof en;
