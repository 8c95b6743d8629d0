import type { AnyAction, Texts } from "../actions/action.ts";
import type { ServerPlace } from "../addresses.ts";
import type { Notice } from "../html/notices.ts";
import type { SectionName } from "../html/section-paths.ts";
import type { Session } from "../accounts/sessions.ts";
import type { User } from "../accounts/users.ts";
import type { Words } from "../i18n/index.ts";
import { Refused } from "../i18n/refused.ts";
import type { Language } from "../languages.ts";

/** A form that was sent and refused: the page shows it again. */
export interface RefusedForm {
  /** The action's name. */
  readonly action: string;
  readonly texts: Texts;
  /** The field with the mistake. */
  readonly field: string;
  /** What is wrong with it. */
  readonly text: string;
}

/** A signed-in user's request for a page of the dashboard. */
export interface DashboardRequest extends ServerPlace {
  readonly language: Language;
  readonly words: Words;
  readonly user: User;
  readonly session: Session;
  /** The query of the page's address. */
  readonly query: URLSearchParams;
  /** The requested page. */
  readonly section: SectionName;
  /** Proves that a form was sent from a page of this session. */
  readonly formToken: string;
  /** The address of the proxy that passed this request on, if that is not trusted. */
  readonly untrustedProxy: string | undefined;
  /** The result of the last form, shown once. */
  readonly notice: Notice | undefined;
  /** The form that was sent and refused. */
  readonly refused?: RefusedForm;
}

/**
 * The request for the page that shows a form again, with what is wrong in it.
 * @throws {unknown} the error, unless another value in a field would help
 */
export function withRefused(
  request: DashboardRequest,
  { name }: Pick<AnyAction, "name">,
  texts: Texts,
  error: unknown,
): DashboardRequest {
  if (!(error instanceof Refused) || error.field === undefined) throw error;
  const refused = { action: name, texts, field: error.field, text: error.text(request.words) };
  return { ...request, refused };
}

/** A file to be downloaded. */
export interface OfferedFile {
  readonly name: string;
  /** Its media type. */
  readonly type: string;
  /** A text comes in parts where it may be long: nothing is made for a client that does not take it. */
  readonly body: string | ReadableStream<Uint8Array> | AsyncGenerator<string, void>;
}

/** One page of the dashboard. */
export interface Section {
  /** Fields that may be longer than an address: what reads them limits them. */
  readonly longFields?: readonly string[];
  show(request: DashboardRequest): Promise<Response>;
  /**
   * Carries out a form's action. A notice sends the browser back to the page and is shown there.
   * A response, such as the page with the typed values and their errors, is sent as it is.
   */
  act?(request: DashboardRequest, form: FormData): Promise<Notice | Response>;
  /** Answers that are more than a notice, by the names of actions; `undefined` for the notice. */
  readonly answers?: Readonly<
    Record<
      string,
      (request: DashboardRequest, result: never) => Promise<Response> | Response | undefined
    >
  >;
  /** Files that it offers, by the last part of their addresses. */
  readonly files?: Readonly<
    Record<string, (request: DashboardRequest) => Promise<OfferedFile> | OfferedFile>
  >;
}
