/** Where the owner of a server registers an application. */
export const REGISTRATION_URL = "https://dev.twitch.tv/console/apps";

/** Twitch wants one for each application. Linking with a code never leads there. */
export const UNUSED_REDIRECT_URL = "http://localhost";

/** Where a user enters a code by hand. */
export const ACTIVATE_URL = "https://www.twitch.tv/activate";
