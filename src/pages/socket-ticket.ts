import type { WidgetToken } from "../accounts/credential.ts";
import type { User } from "../accounts/users.ts";
import type { Language } from "../languages.ts";

/** What an overlay's socket carries. */
export interface LiveTicket {
  readonly kind: "overlay";
  /** What opened it; `null` for the demo that everybody may see. */
  readonly token: WidgetToken | null;
  /** Whose token it is. */
  readonly userId: number;
  /** Whether it is a browser source of streaming software. */
  readonly onStream: boolean;
  /** Whose channel it follows: a user's, or the demo's. */
  readonly listenerId: number;
}

/** What a dashboard's socket carries. */
export interface DashboardTicket {
  readonly kind: "dashboard";
  readonly user: User;
  readonly sessionId: string;
  readonly language: Language;
}

/** What a socket carries: it belongs to an overlay or to a dashboard. */
export type SocketTicket = LiveTicket | DashboardTicket;

/** What turns a request into a socket: `Bun.serve`'s server. */
export interface Upgrader {
  upgrade(request: Request, options: { data: SocketTicket }): boolean;
}
