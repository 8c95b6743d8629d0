import type { Clock } from "../../clock.ts";
import { type Language, languages } from "../../i18n/index.ts";
import { messagePage } from "../message-page.tsx";
import type { PageContext } from "../page.ts";
import { redirect } from "../redirect.ts";
import type { FormTokens } from "../sign-in/form-tokens.ts";
import type { Door, Guest } from "../sign-in/session-door.ts";
import { type Notice, pathTo, type Section, type SectionName, type Visit } from "./visit.ts";

export interface ReceptionDeps {
  readonly door: Door;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Where the server is reached, without a slash at the end, and its path alone. */
  readonly baseUrl: string;
  readonly basePath: string;
  readonly formTokens: FormTokens;
  /** Whether a form comes from a page of ours. */
  isOwnOrigin(origin: string, host: string | null): boolean;
}

type Answer = (language: Language, context: PageContext) => Promise<Response>;

type GuestAnswer = (guest: Guest, language: Language, context: PageContext) => Promise<Response>;

/** Receives requests to the dashboard: only from who is signed in, and forms only from our pages. */
export interface Reception {
  show(name: SectionName, section: Section): Answer;
  act(name: SectionName, section: Section): Answer;
  /** For what is no page, such as a download: 401 without a session. */
  guard(answer: GuestAnswer): Answer;
}

/** A notice that nobody came to see is forgotten. */
const NOTICE_LIFETIME_MS = 5 * 60_000;
const MOST_NOTICES = 1_000;

export function createReception(deps: ReceptionDeps): Reception {
  const { door, clock, baseUrl, basePath, formTokens } = deps;
  const notices = new Map<string, { notice: Notice; section: SectionName; untilMs: number }>();

  const takeNotice = (sessionId: string, section: SectionName): Notice | undefined => {
    const found = notices.get(sessionId);
    if (found?.section !== section) return undefined;
    notices.delete(sessionId);
    return found.untilMs > clock.monotonicMs() ? found.notice : undefined;
  };

  const leaveNotice = (sessionId: string, section: SectionName, notice: Notice) => {
    for (const oldest of notices.keys()) {
      if (notices.size < MOST_NOTICES) break;
      notices.delete(oldest);
    }
    notices.set(sessionId, { notice, section, untilMs: clock.monotonicMs() + NOTICE_LIFETIME_MS });
  };

  const visitOf = (
    guest: Guest,
    language: Language,
    request: Request,
    section: SectionName,
    notice: Notice | undefined,
  ): Visit => ({
    ...guest,
    language,
    words: languages[language],
    request,
    query: new URL(request.url).searchParams,
    basePath,
    baseUrl,
    section,
    formToken: formTokens.issue(guest.session),
    notice,
  });

  const refuse = (language: Language) => {
    const { signIn } = languages[language];
    return messagePage({
      language,
      basePath,
      title: signIn.neededTitle,
      lead: signIn.neededText,
      status: 401,
      again: { path: `${basePath}/${language}/sign-in`, label: signIn.how },
    });
  };

  const refuseForm = (language: Language, section: SectionName) => {
    const { signIn } = languages[language];
    return messagePage({
      language,
      basePath,
      title: signIn.formTitle,
      lead: signIn.formText,
      status: 403,
      again: { path: pathTo({ basePath, language }, section), label: signIn.back },
    });
  };

  const mayEnter = ({ user }: Guest, { ownerOnly }: Section): boolean =>
    !ownerOnly || user.role === "owner";

  const ownersOnly = (language: Language) => {
    const { signIn } = languages[language];
    return messagePage({
      language,
      basePath,
      title: signIn.ownerTitle,
      lead: signIn.ownerText,
      status: 403,
    });
  };

  const isOurForm = (request: Request, form: FormData, guest: Guest): boolean => {
    const origin = request.headers.get("origin") ?? "";
    if (!deps.isOwnOrigin(origin, request.headers.get("host"))) return false;
    return formTokens.isValid(guest.session, form.get("token"));
  };

  const guard: Reception["guard"] = (answer) => async (language, context) => {
    const guest = await door.guestOf(context.request);
    return guest ? answer(guest, language, context) : refuse(language);
  };

  const enter = (section: Section, answer: GuestAnswer): Answer =>
    guard(async (guest, language, context) =>
      mayEnter(guest, section) ? answer(guest, language, context) : ownersOnly(language),
    );

  return {
    guard,

    show: (name, section) =>
      enter(section, async (guest, language, { request }) => {
        const notice = takeNotice(guest.session.id, name);
        return section.show(visitOf(guest, language, request, name, notice));
      }),

    act: (name, section) =>
      enter(section, async (guest, language, { request }) => {
        const form = await request.formData().catch(() => new FormData());
        if (!isOurForm(request, form, guest)) return refuseForm(language, name);
        const visit = visitOf(guest, language, request, name, undefined);
        const outcome = await section.act(visit, form);
        if (outcome instanceof Response) return outcome;
        leaveNotice(guest.session.id, name, outcome);
        return redirect(pathTo(visit, name), 303);
      }),
  };
}
