import type { WidgetToken } from "../accounts/credential.ts";
import type { Language } from "../languages.ts";

/** The data of an overlay's socket. */
export interface LiveTicket {
  /** The token that opened it; `null` for the public demo. */
  readonly token: WidgetToken | null;
  /** The ID of the token's widget; `null` for the public demo. */
  readonly widgetId: number | null;
  /** The ID of the token's user. */
  readonly userId: number;
  /** Whether it is a browser source of streaming software. */
  readonly onStream: boolean;
  /** The ID of the channel that it follows: a user's, or the demo's. */
  readonly listenerId: number;
  /** The language and the query of the page's address. */
  readonly language: Language;
  readonly query: string;
  /** The fingerprint of the look that the page has; `undefined` for the public demo. */
  look: string | undefined;
  /** Whether it was asked to say when OBS streams. */
  isAskedForStreams: boolean;
  /** Whether the widget had changed when the page connected. */
  readonly isOutdated: boolean;
}
