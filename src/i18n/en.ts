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
  /** `{source}` and its like are filled in: {@link fill}. */
  connect: {
    title: "Link {source}",
    lead: "Marquee will hear what {user} plays on {source}. It reads, and can change nothing.",
    go: "Continue to {source}",
    appTitle: "First, {source} wants an app",
    appLead: "Every server has its own, it is free, and it is made in a minute.",
    appCreate: "Open {source}’s dashboard, create an app and choose “Web API”.",
    appRedirect: "Enter this as the redirect URI, exactly as it stands:",
    appEnter: "Copy the app’s client ID here:",
    clientId: "Client ID",
    clientSecret: "Client secret",
    optional: "not needed",
    save: "Save and continue",
    clientIdWrong:
      "A client ID has letters and digits only. Copy it once more from {source}’s dashboard.",
    otherApp: "Use another app",
    redirectUri: "Redirect URI",
    copy: "Copy",
    copied: "Copied",
    ownerFirst:
      "The owner of this server has to enter a {source} app first. Then open this page again.",
    redirectRefused:
      "{source} accepts this address only with https, or as http://127.0.0.1. Start Marquee with a base URL of that kind.",
    doneTitle: "{source} is linked",
    doneLead: "Marquee hears {account} from now on. You can close this page.",
    doneUntil: "{source} ends this access on {day}. Marquee reminds you before.",
    endedTitle: "This link has ended",
    endedText:
      "It has been used, or it is older than half an hour. Ask for a new one where you got it.",
    failedTitle: "{source} was not linked",
    tryAgain: "Try again",
    failures: {
      appMissing: "No app has been entered yet. Open the link again and enter one.",
      denied: "You said no on {source}’s page. Nothing was changed.",
      wrongApp:
        "{source} does not know this app, or its secret is wrong. Check both in {source}’s dashboard.",
      wrongRedirect:
        "The app does not list this server’s redirect URI. Add it in {source}’s dashboard, exactly as Marquee shows it.",
      notOnAppList:
        "This account is not on the app’s list of users. Its owner can add it in {source}’s dashboard, under “User Management”.",
      noPremium: "{source} asks for Premium: whoever owns the app needs a Premium account.",
      codeExpired: "It took too long, or the answer was used before. Try again.",
      limited: "{source} has received too many calls from this app. Try again later.",
      unreachable: "{source} cannot be reached or answers strangely. Try again in a moment.",
      lost: "This was begun in another browser, or more than ten minutes ago. Open the link again.",
    },
  },
  notFound: {
    title: "There is nothing here",
    text: "The address may be mistyped, or it was replaced by a new one.",
  },
};

/** Every word the pages say. A language that lacks one is a type error. */
export type Words = typeof en;
