import type { Session } from "../../accounts/sessions.ts";
import type { User } from "../../accounts/users.ts";
import type { Words } from "../../i18n/index.ts";
import type { Language } from "../../languages.ts";

/** Somebody who is signed in, looking at a page of the dashboard. */
export interface DashboardRequest {
  readonly language: Language;
  readonly words: Words;
  readonly user: User;
  readonly session: Session;
  /** The query of the page's address. */
  readonly query: URLSearchParams;
  /** Path prefix of the base URL, and the base URL itself, without slashes at their ends. */
  readonly basePath: string;
  readonly baseUrl: string;
  /** The page that was asked for. */
  readonly section: SectionName;
  /** Proves that a form was sent from a page of this session. */
  readonly formToken: string;
  /** What the last form has led to, shown once. */
  readonly notice: Notice | undefined;
}

/** What a form has come to. */
export interface Notice {
  readonly tone: "good" | "bad";
  readonly text: string;
  /** Something that is shown this once, to be copied. */
  readonly shownOnce?: readonly { readonly label: string; readonly value: string }[];
}

/** Whoever adds a section, begins with what it is called. */
export type SectionName = keyof Words["dashboard"]["sections"];

/** One page of the dashboard. */
export interface Section {
  show(request: DashboardRequest): Promise<Response>;
  /**
   * Carries out what a form asks for. A notice sends the browser back to the page and tells it
   * there; a response, such as the page with what was typed and what is wrong, is sent as it is.
   */
  act(request: DashboardRequest, form: FormData): Promise<Notice | Response>;
}
