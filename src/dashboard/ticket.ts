import type { User } from "../accounts/users.ts";
import type { Language } from "../languages.ts";

/** The data of a dashboard's socket. */
export interface DashboardTicket {
  readonly user: User;
  readonly sessionId: string;
  readonly language: Language;
  /** The page was opened by an address where nothing is sent to it: it is told so. */
  readonly isElsewhere: boolean;
}
