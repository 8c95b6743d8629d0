import type { ChatAccount } from "../../accounts/chat-accounts.ts";
import { AccountError } from "../../accounts/context.ts";
import type { ChatService, Said } from "../../chat/service.ts";
import { settings } from "../../config.ts";
import { pathTo } from "../../html/section-paths.ts";
import { fieldOf } from "../../http/form-field.ts";
import { redirect } from "../../http/redirect.ts";
import { fill } from "../../i18n/index.ts";
import type { DashboardRequest, Notice, Section } from "../request.ts";
import { readOptionsForm } from "./options.tsx";
import { chatPage, type ChatView, outcomeNotice } from "./page.tsx";
import type { Parts } from "../../http/parts.ts";

export interface ChatSectionDeps extends Pick<Parts, "accounts"> {
  readonly chat: () => Promise<ChatService>;
}

/** While a link is pending, the page is loaded again after so many seconds. */
const RELOAD_S = 5;

/** The page on which users link the Twitch accounts that answer in their chats. */
export function createSection({ accounts, chat: load }: ChatSectionDeps): Section {
  const viewOf = async ({ user }: DashboardRequest): Promise<ChatView> => {
    const { links, pending } = await load();
    const link = pending.of(user.id);
    return {
      accounts: await accounts.chat.allOf(user.id),
      canLink: (await links.clientId()) !== undefined,
      pending: link?.outcome ? undefined : link,
    };
  };

  /** Shows once how a link has come out. */
  const show = async (request: DashboardRequest): Promise<Response> => {
    const { pending } = await load();
    const outcome = pending.of(request.user.id)?.outcome;
    if (outcome) pending.forget(request.user.id);
    const notice = outcome && outcomeNotice(outcome, request.words);
    const view = await viewOf(request);
    const response = await chatPage(request, view, notice);
    if (view.pending) response.headers.set("Refresh", String(RELOAD_S));
    return response;
  };

  /** Sends the browser back to the page, so that it can be loaded again. */
  const back = (request: DashboardRequest) => redirect(pathTo(request, request.section), 303);

  const link = async (request: DashboardRequest, form: FormData): Promise<Notice | Response> => {
    const { chat: t } = request.words.dashboard;
    const { links, pending } = await load();
    const clientId = await links.clientId();
    if (clientId === undefined) return back(request);
    const channel = fieldOf(form, "channel");
    const refused = await pending.begin(request.user, { clientId, ...(channel && { channel }) });
    if (!refused) return back(request);
    const { refusal } = refused;
    const text = refusal === "" ? t.uncertain : fill(t.refusedWith, { words: refusal });
    return { tone: "bad", text };
  };

  const changeOptions = async (
    request: DashboardRequest,
    account: ChatAccount,
    form: FormData,
  ): Promise<Notice | Response> => {
    const read = readOptionsForm(request, account, form);
    if ("typed" in read) return chatPage(request, { ...(await viewOf(request)), ...read });
    await accounts.chat.changeOptions(request.user, account.id, read.options);
    return { tone: "good", text: request.words.dashboard.chat.options.saved };
  };

  const accountOf = async ({ user }: DashboardRequest, form: FormData) => {
    const login = fieldOf(form, "target");
    return (await accounts.chat.allOf(user.id)).find((account) => account.login === login);
  };

  const unlink = async (request: DashboardRequest, account: ChatAccount): Promise<Notice> => {
    const { chat: t } = request.words.dashboard;
    const { login } = account;
    const isConfirmed = await (await load()).links.unlink(request.user, login);
    return isConfirmed
      ? { tone: "good", text: fill(t.unlinked, { login }) }
      : { tone: "bad", text: fill(t.unlinkedUnconfirmed, { login }) };
  };

  /** The owner's own application at Twitch. */
  const enterApp = async (
    request: DashboardRequest,
    form: FormData,
  ): Promise<Notice | Response> => {
    const { chat: t } = request.words.dashboard;
    if (request.user.role !== "owner") return back(request);
    const clientId = settings.twitchClientId.parse(fieldOf(form, "client-id"));
    if (clientId === undefined || clientId === null) return { tone: "bad", text: t.appIdWrong };
    await accounts.upstreams.enterApp("twitch", { clientId, clientSecret: null });
    return { tone: "good", text: t.appSaved };
  };

  const act = async (request: DashboardRequest, form: FormData): Promise<Notice | Response> => {
    const action = fieldOf(form, "do");
    if (action === "link") return link(request, form);
    if (action === "app") return enterApp(request, form);
    if (action === "cancel") (await load()).pending.forget(request.user.id);
    const account = await accountOf(request, form);
    if (account && action === "unlink") return unlink(request, account);
    if (account && action === "options") return changeOptions(request, account, form);
    if (account && action === "say")
      return saidNotice(request, await (await load()).sayOnce(account));
    return back(request);
  };

  return {
    show,
    async act(request, form) {
      try {
        return await act(request, form);
      } catch (error) {
        // It was unlinked elsewhere at the same moment.
        if (error instanceof AccountError) return back(request);
        throw error;
      }
    },
  };
}

function saidNotice({ words }: DashboardRequest, said: Said): Notice {
  const { chat: t } = words.dashboard;
  switch (said.kind) {
    case "said":
      return { tone: "good", text: t.said };
    case "paused":
      return { tone: "bad", text: t.saidPaused };
    case "too soon":
      return { tone: "bad", text: t.tooSoon };
    case "refused":
      return { tone: "bad", text: fill(t.notSaid, { words: said.message }).trim() };
  }
}
