import type { ActionParts, AnyAction } from "../actions/action.ts";
import { actionNamed } from "../actions/index.ts";
import { perform } from "../actions/run.ts";
import { fieldOf } from "../http/form-field.ts";
import { Refused } from "../i18n/refused.ts";
import { textsIn } from "./action-form.tsx";
import { fill, languages } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import { withinBudget } from "../html/spent.ts";
import { messagePage } from "../html/message-page.tsx";
import type { RouteContext } from "../http/route-context.ts";
import type { SignedIn } from "../http/session-cookie.ts";
import { createNotices } from "../html/notices.ts";
import type { DashboardRequest, Notice, OfferedFile, Section } from "./request.ts";
import type { SectionName } from "../html/section-paths.ts";
import { pathTo } from "../html/section-paths.ts";
import { mayOpen } from "./owner-only.ts";
import { LONGEST_ADDRESS, mistakeIn, tooLong } from "../text-limits.ts";
import { wordsOfMistake } from "./entered-text.ts";
import type { Parts } from "../http/parts.ts";

type Answer = (signedIn: SignedIn, language: Language, context: RouteContext) => Promise<Response>;

export interface DashboardGuardDeps extends Parts {
  readonly actionParts: ActionParts;
}

/** Answers signed-in users within their budget of work, and takes forms only from our pages. */
export interface DashboardGuard {
  show(name: SectionName, section: Section): Answer;
  act(name: SectionName, section: Section): Answer;
  /** One of the section's files. */
  file(name: SectionName, section: Section, file: string): Answer;
  /** For routes that are not pages, such as a download. */
  guard(answer: Answer): Answer;
}

export function createDashboardGuard(deps: DashboardGuardDeps): DashboardGuard {
  const { baseUrl, basePath, formTokens, budget } = deps;
  const notices = createNotices(deps);

  const dashboardRequestOf = (
    signedIn: SignedIn,
    language: Language,
    request: Request,
    section: SectionName,
    notice: Notice | undefined,
  ): DashboardRequest => ({
    ...signedIn,
    language,
    words: languages[language],
    query: new URL(request.url).searchParams,
    basePath,
    baseUrl,
    section,
    formToken: formTokens.issue(signedIn.session),
    notice,
  });

  /** A notice, the page with the form that was refused, or another answer that the section gives. */
  const carryOut = async (
    action: AnyAction,
    section: Section,
    request: DashboardRequest,
    form: FormData,
    { signal }: Request,
    isForScript: boolean,
  ): Promise<Notice | Response> => {
    const { words, language, user } = request;
    const texts = await textsIn(form, action);
    const call = {
      ...deps.actionParts,
      ...{ user, actor: user, language, signal },
      progress() {},
      remark() {},
    };
    try {
      const result = await perform(action, call, texts);
      const documents = action.documents(result);
      if ("table" in action) return forScript(200, documents);
      if (isForScript)
        return forScript(200, documents.length > 1 ? documents : (documents[0] ?? {}));
      const answer = await section.answers?.[action.name]?.(request, result as never);
      return answer ?? action.notice(words, result, language);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.reason === "entered.ownersOnly") return ownersOnly({ basePath, language });
      const text = error.text(words);
      const { field, reason } = error;
      if (isForScript)
        return forScript(field === undefined ? 409 : 422, { error: text, reason, field });
      if (field === undefined) return { tone: "bad", text };
      return section.show({ ...request, refused: { action: action.name, texts, field, text } });
    }
  };

  const isOurForm = (request: Request, form: FormData, signedIn: SignedIn): boolean =>
    deps.isFromOwnPage(request) && formTokens.isValid(signedIn.session, form.get("token"));

  const guard: DashboardGuard["guard"] = (answer) => async (signedIn, language, context) =>
    withinBudget(budget, signedIn.user.id, { language, basePath }, () =>
      answer(signedIn, language, context),
    );

  const enter = (section: SectionName, answer: Answer): Answer =>
    guard(async (signedIn, language, context) =>
      mayOpen(signedIn.user, section)
        ? answer(signedIn, language, context)
        : ownersOnly({ basePath, language }),
    );

  return {
    guard,

    show: (name, section) =>
      enter(name, async (signedIn, language, { request }) => {
        const notice = await notices.of(request, signedIn, { section: name, basePath, language });
        const dashboardRequest = dashboardRequestOf(signedIn, language, request, name, notice);
        const response = await section.show(dashboardRequest);
        // A page that redirects has not shown it yet.
        if (notice && !response.headers.has("location")) {
          response.headers.append("Set-Cookie", notices.drop(dashboardRequest));
        }
        return response;
      }),

    file: (name, section, file) =>
      enter(name, async (signedIn, language, { request }) => {
        const dashboardRequest = dashboardRequestOf(signedIn, language, request, name, undefined);
        const offered = await section.files?.[file]?.(dashboardRequest);
        return offered ? download(offered) : section.show(dashboardRequest);
      }),

    act: (name, section) =>
      enter(name, async (signedIn, language, { request }) => {
        const form = await request.formData().catch(() => new FormData());
        if (!isOurForm(request, form, signedIn)) return refuseForm({ basePath, language }, name);
        const dashboardRequest = dashboardRequestOf(signedIn, language, request, name, undefined);
        const action = actionNamed(fieldOf(form, "do"));
        const isForScript = request.headers.get("accept") === "application/json";
        const act = async () =>
          action && ("notice" in action || isForScript)
            ? carryOut(action, section, dashboardRequest, form, request, isForScript)
            : (unusableField(dashboardRequest, form, section.longFields) ??
              section.act?.(dashboardRequest, form) ??
              section.show(dashboardRequest));
        // Work that was begun has ended while the form was on its way.
        const outcome = await budget.spend(signedIn.user.id, act);
        if (outcome instanceof Response) return outcome;
        const at = outcome.at ?? dashboardRequest.query.toString();
        const notice = { ...outcome, at };
        const sent = await notices.send(signedIn, dashboardRequest, notice);
        return sent ?? section.show(showing(dashboardRequest, notice));
      }),
  };
}

/** A file that the browser saves. */
export const download = ({ name, type, body }: OfferedFile): Response =>
  new Response(typeof body === "object" && "next" in body ? streamOf(body) : body, {
    headers: {
      "Content-Type": type,
      "Content-Disposition": `attachment; filename="${name}"`,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    },
  });

/** The parts as they are read: nothing is produced for a client that does not take it. */
const streamOf = (parts: AsyncGenerator<string, void>): ReadableStream<string> =>
  new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await parts.return();
    },
  });

interface Place {
  readonly basePath: string;
  readonly language: Language;
}

function refuseForm(place: Place, section: SectionName): Promise<Response> {
  const { formTitle: title, formText: lead, back: label } = languages[place.language].signIn;
  const again = { path: pathTo(place, section), label };
  return messagePage({ ...place, title, lead, status: 403, again });
}

function ownersOnly(place: Place): Promise<Response> {
  const { ownerTitle: title, ownerText: lead } = languages[place.language].signIn;
  return messagePage({ ...place, title, lead, status: 403 });
}

/** The answer to a page's script, which asks for JSON. */
const forScript = (status: number, body: unknown): Response =>
  Response.json(body, { status, headers: { "Cache-Control": "no-store" } });

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
    const refused = fill(words.dashboard.entered.field, { field: name });
    return { tone: "bad", text: `${refused} ${wordsOfMistake(words, mistake)}` };
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
