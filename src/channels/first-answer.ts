/** How long the first reading of a channel is waited for that did not run before, by who waits. */

/** A page shows what is known, and gets the rest over its socket. */
export const PAGE_WAITS_MS = 80;
/** Bots give up soon, some after two seconds. */
export const BOT_WAITS_MS = 1_700;
/** Programs that call the API wait for a source's first answer. */
export const PROGRAM_WAITS_MS = 4_000;
