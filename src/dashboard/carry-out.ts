import type { ActionParts, AnyAction } from "../actions/action.ts";
import { perform } from "../actions/run.ts";
import { isPassing } from "../db/errors.ts";
import { messagePage } from "../html/message-page.tsx";
import { languages } from "../i18n/index.ts";
import { Refused } from "../i18n/refused.ts";
import type { Language } from "../languages.ts";
import { publicCommand } from "../typed-command.ts";
import { SecretError } from "../vault/vault.ts";
import { textsIn } from "./action-form.tsx";
import { type DashboardRequest, type Section, withRefused } from "./request.ts";
import type { Notice } from "../html/notices.ts";

export interface CarryOutDeps {
  readonly actionParts: ActionParts;
  readonly basePath: string;
}

export interface SentForm {
  readonly form: FormData;
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
  readonly isForScript: boolean;
}

/** Whether the script of a page asks, which takes JSON. */
export const isForScript = ({ headers }: Request): boolean =>
  headers.get("accept") === "application/json";

const toScript = (status: number, body: unknown): Response =>
  Response.json(body, { status, headers: { "Cache-Control": "no-store" } });

export function ownersOnly(language: Language, basePath: string): Promise<Response> {
  const { ownerTitle: title, ownerText: lead } = languages[language].signIn;
  return messagePage({ language, basePath, title, lead, status: 403 });
}

/** Why an action is not done. What is damaged, and how to make it anew, is said by the action's command. */
function refusalIn(thrown: unknown, { name }: AnyAction): Refused | undefined {
  if (thrown instanceof Refused) return thrown;
  return thrown instanceof SecretError && !isPassing(thrown)
    ? new Refused("secret.damaged", { command: `${publicCommand()} ${name}` })
    : undefined;
}

/**
 * Carries an action out as a form asks for it. Gives a notice, the page with the form that was refused,
 * or another answer that the section has.
 */
export function createCarryOut({ actionParts, basePath }: CarryOutDeps) {
  return async (
    action: AnyAction,
    section: Section,
    request: DashboardRequest,
    { form, signal, isForScript }: SentForm,
  ): Promise<Notice | Response> => {
    const { words, language, user } = request;
    const texts = await textsIn(form, action);
    const call = {
      ...actionParts,
      user,
      actor: user,
      language,
      signal,
      remark() {},
    };
    try {
      const result = await perform(action, call, texts);
      const documents = action.documents(result);
      if ("table" in action) return toScript(200, documents);
      if (isForScript) {
        return toScript(200, documents.length > 1 ? documents : (documents[0] ?? {}));
      }
      const answer = await section.answers?.[action.name]?.(request, result as never);
      return answer ?? action.notice(words, result, language);
    } catch (thrown) {
      const error = refusalIn(thrown, action);
      if (!error) throw thrown;
      const { field, reason } = error;
      if (reason === "entered.ownersOnly") return ownersOnly(language, basePath);
      const text = error.text(words);
      if (isForScript) {
        return toScript(field === undefined ? 409 : 422, { error: text, reason, field });
      }
      if (field === undefined) return { tone: "bad", text };
      return section.show(withRefused(request, action, texts, error));
    }
  };
}
