import { actionNamed } from "../actions/index.ts";
import { fieldOf } from "../http/form-field.ts";
import { type CarryOutDeps, createCarryOut, isForScript, ownersOnly } from "./carry-out.ts";
import { download } from "./download.ts";
import { createFormReader } from "./read-forms.ts";
import { refusedFor } from "../i18n/entered.ts";
import { fill, languages } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import { spentPage, withinBudget } from "../html/spent.ts";
import { messagePage } from "../html/message-page.tsx";
import type { RouteContext } from "../http/route-context.ts";
import type { SignedIn } from "../http/session-cookie.ts";
import { createNotices, type Notice } from "../html/notices.ts";
import { untrustedProxyIn } from "../http/client-address.ts";
import type { DashboardRequest, Section } from "./request.ts";
import type { SectionName } from "../html/section-paths.ts";
import { pathTo } from "../html/section-paths.ts";
import { mayOpen } from "./owner-only.ts";
import { signInFirst } from "./sign-in-first.ts";
import { LONGEST_ADDRESS, mistakeIn, tooLong } from "../text-limits.ts";
import type { Parts } from "../http/parts.ts";

/** What handlers are given of the request of who is signed in. */
export interface SignedInContext extends RouteContext {
  readonly signedIn: SignedIn;
  readonly language: Language;
}

export type Answer = (context: SignedInContext) => Promise<Response>;

export interface DashboardGuardDeps extends Parts, CarryOutDeps {}

/** Whoever sends too many forms at once has to wait so long. */
const AFTER_FORMS_MS = 5_000;

/** Answers signed-in users within their budget of work, and takes forms only from our pages. */
export function createDashboardGuard(deps: DashboardGuardDeps) {
  const { baseUrl, basePath, formTokens, budget } = deps;
  const notices = createNotices(deps);
  const carryOut = createCarryOut(deps);
  const readForm = createFormReader();

  const dashboardRequestOf = (
    { signedIn, language, request }: SignedInContext,
    section: SectionName,
    notice?: Notice,
  ): DashboardRequest => ({
    ...signedIn,
    language,
    words: languages[language],
    query: new URL(request.url).searchParams,
    basePath,
    baseUrl,
    section,
    formToken: formTokens.issue(signedIn.session),
    untrustedProxy: untrustedProxyIn(
      deps.addressOf(request),
      request.headers.get("x-forwarded-for"),
      deps.config.trustedProxies,
    ),
    notice,
  });

  const isOurForm = (request: Request, form: FormData, signedIn: SignedIn): boolean =>
    deps.isFromOwnPage(request) && formTokens.isValid(signedIn.session, form.get("token"));

  /** For routes that are not pages, such as a download. */
  const guard =
    (answer: Answer): Answer =>
    async (context) => {
      const { signedIn, language } = context;
      return withinBudget(budget, signedIn.user.id, { language, basePath }, () => answer(context));
    };

  const enter = (section: SectionName, answer: Answer): Answer =>
    guard(async (context) =>
      mayOpen(context.signedIn.user, section)
        ? answer(context)
        : ownersOnly(context.language, basePath),
    );

  return {
    guard,

    show: (name: SectionName, section: Section) =>
      enter(name, async (context) => {
        const { signedIn, language, request } = context;
        const notice = notices.of(request, signedIn, { section: name, basePath, language });
        const dashboardRequest = dashboardRequestOf(context, name, notice);
        const response = await section.show(dashboardRequest);
        // A page that redirects has not shown it yet.
        if (notice && !response.headers.has("location")) {
          response.headers.append("Set-Cookie", notices.drop(dashboardRequest));
        }
        return response;
      }),

    /** One of the section's files. */
    file: (name: SectionName, section: Section, file: string) =>
      enter(name, async (context) => {
        const dashboardRequest = dashboardRequestOf(context, name);
        const offered = await section.files?.[file]?.(dashboardRequest);
        return offered ? download(offered) : section.show(dashboardRequest);
      }),

    act: (name: SectionName, section: Section) =>
      enter(name, async (context) => {
        const { language, request } = context;
        const form = await readForm(request, context.signedIn.user.id);
        if (!form) return spentPage({ language, basePath }, AFTER_FORMS_MS);
        // They may have signed out, or been removed, while the form was on its way.
        const signedIn = await deps.sessionCookie.signedIn(request);
        if (!signedIn) return signInFirst(language, basePath);
        if (!isOurForm(request, form, signedIn)) return refuseForm({ basePath, language }, name);
        const dashboardRequest = dashboardRequestOf({ ...context, signedIn }, name);
        const action = actionNamed(fieldOf(form, "do"));
        const sent = { form, signal: request.signal, isForScript: isForScript(request) };
        const act = async () =>
          action && ("notice" in action || sent.isForScript)
            ? carryOut(action, section, dashboardRequest, sent)
            : (unusableField(dashboardRequest, form, section.longFields) ??
              section.act?.(dashboardRequest, form) ??
              section.show(dashboardRequest));
        // Work that was begun has ended while the form was on its way.
        const outcome = await budget.spend(signedIn.user.id, act);
        if (outcome instanceof Response) return outcome;
        const at = outcome.at ?? dashboardRequest.query.toString();
        const notice = { ...outcome, at };
        const redirected = notices.send(signedIn, dashboardRequest, notice);
        return redirected ?? section.show(showing(dashboardRequest, notice));
      }),
  };
}

function refuseForm(
  place: { readonly basePath: string; readonly language: Language },
  section: SectionName,
): Promise<Response> {
  const { formTitle: title, formText: lead, back: label } = languages[place.language].signIn;
  const again = { path: pathTo(place, section), label };
  return messagePage({ ...place, title, lead, status: 403, again });
}

/**
 * What is said of a form with a field that no form of ours sends. A browser keeps to `maxlength`, so
 * that whoever sees this has sent it in another way, and nothing of it is drawn again.
 */
function unusableField(
  { words }: DashboardRequest,
  form: FormData,
  longFields: Section["longFields"] = [],
): Notice | undefined {
  for (const [field, value] of form) {
    if (typeof value !== "string" || longFields.includes(field)) continue;
    const mistake = mistakeIn(field) ?? tooLong(value, LONGEST_ADDRESS);
    if (!mistake) continue;
    const name = mistakeIn(field) ? "?" : field;
    const refused = fill(words.refused.entered.refused, { field: name });
    return { tone: "bad", text: `${refused} ${refusedFor(mistake, name).text(words)}` };
  }
  return undefined;
}

/** The request for the page that a notice is about, with the notice. */
const showing = (
  request: DashboardRequest,
  { at, language = request.language, ...notice }: Notice,
): DashboardRequest => ({
  ...request,
  language,
  words: languages[language],
  query: new URLSearchParams(at),
  notice,
});
