import { parseWidgetOptions } from "../../widget/options.ts";
import type { WidgetToken } from "../accounts/credential.ts";
import type { User } from "../accounts/users.ts";
import { DEMO_LISTENER, listenerOf } from "../channels/connection-finder.ts";
import { languageOf } from "../html/page.ts";
import { plainText, tooMuch } from "../http/plain-text.ts";
import type { Upgrader } from "../http/socket.ts";
import type { Widget } from "../looks/widgets.ts";
import type { PageFonts } from "./fonts/font-faces.ts";
import { overlayLook } from "./look.ts";
import type { LiveTicket } from "./ticket.ts";

/** What a token opens. */
export interface Opened {
  readonly token: WidgetToken;
  readonly user: User;
  readonly widget: Widget;
  readonly fonts: PageFonts;
}

const MOST_SOCKETS_PER_TOKEN = 100;
/** The `User-Agent` names of OBS Studio and of programs built on it. */
const STREAMING_SOFTWARE = /\b(?:OBS|SLOBS|Streamlabs)\b/i;

export interface AdmissionDeps {
  /** Whether a page from this origin may connect. */
  isFromOwnPage(request: Request): boolean;
  /** The number of a user's sockets with this token. */
  socketsOf(token: WidgetToken | null, userId: number): number;
}

/**
 * Upgrades a request to an overlay's socket and returns `undefined`, or returns an error response.
 * @param opened what its token opens; `null` for the public demo
 */
export function admit(
  request: Request,
  opened: Opened | null,
  server: Upgrader<LiveTicket> | undefined,
  deps: AdmissionDeps,
): Response | undefined {
  const token = opened?.token ?? null;
  const userId = opened?.user.id ?? DEMO_LISTENER;
  if (request.headers.has("origin") && !deps.isFromOwnPage(request)) {
    return plainText(403, "Not from this page");
  }
  if (deps.socketsOf(token, userId) >= MOST_SOCKETS_PER_TOKEN) {
    return tooMuch("Too many overlays with this address", 15);
  }
  const { pathname, searchParams } = new URL(request.url);
  const { demo } = parseWidgetOptions(searchParams).options;
  const onStream = STREAMING_SOFTWARE.test(request.headers.get("user-agent") ?? "");
  const language = languageOf(pathname);
  const shown = searchParams.get("drawn");
  searchParams.delete("drawn");
  const current =
    opened && overlayLook(opened.widget, language, searchParams, opened.fonts).fingerprint;
  const data: LiveTicket = {
    token,
    userId,
    onStream,
    language,
    listenerId: listenerOf(userId, demo),
    widgetId: opened?.widget.id ?? null,
    query: searchParams.toString(),
    look: shown ?? current ?? undefined,
    isAskedForStreams: false,
    isOutdated: shown !== null && shown !== current,
  };
  if (server?.upgrade(request, { data })) return undefined;
  return plainText(426, "This address is for WebSockets only", { Upgrade: "websocket" });
}
