import type { ChatAccount } from "../store.ts";
import { linkChat, linkedNotice } from "../actions.ts";
import type { ChatService } from "../service.ts";
import type { BegunLink } from "../twitch/links.ts";
import { pathTo } from "../../html/section-paths.ts";
import { fieldOf } from "../../http/form-field.ts";
import type { Parts } from "../../http/parts.ts";
import { redirect } from "../../http/redirect.ts";
import type { Words } from "../../i18n/index.ts";
import { Refused } from "../../i18n/refused.ts";
import { Html } from "../../jsx.ts";
import { dashboardPage } from "../../dashboard/frame.tsx";
import type { DashboardRequest, Section } from "../../dashboard/request.ts";
import type { Notice } from "../../html/notices.ts";
import { textsOf, WithBot } from "./bots.tsx";
import { LinkedAccounts } from "./linked-account.tsx";
import { CANCEL, LinkForm, NoApplication, Waiting } from "./linking.tsx";
import { queryOfWay, Sample, type Way, Ways, WAYS } from "./ways.tsx";

export interface ChatSectionDeps extends Pick<Parts, "accounts" | "hub" | "clock"> {
  readonly chat: () => Promise<ChatService>;
}

/** While a link is pending, the page is loaded again after so many seconds. */
const RELOAD_S = 5;

/** The page of the two ways to answer in a chat: a linked Twitch account, and the texts for bots. */
export function createSection(deps: ChatSectionDeps): Section {
  const { accounts, chat: load } = deps;
  /** Sends the browser back to the page, so that it can be loaded again. */
  const back = (request: DashboardRequest) =>
    redirect(`${pathTo(request, request.section)}?${queryOfWay("twitch")}`, 303);

  return {
    async show(request) {
      const { links, pending } = await load();
      const { words, user, refused, query } = request;
      const { chat: t } = words.dashboard;
      const link = pending.of(user.id);
      const isWaiting = link !== undefined && !link.outcome;
      // How a link has come out is shown once, and not in place of what was wrong with a form.
      const outcome = refused ? undefined : link?.outcome;
      if (outcome) pending.forget(user.id);
      const linked = accounts.chat.allOf(user.id);
      const hasText = accounts.widgets.allOf(user).some(({ kind }) => kind === "text");
      const usesBot = hasText && linked.length === 0 && !link;
      const way = WAYS.find((way) => way === query.get("with")) ?? (usesBot ? "bot" : "twitch");
      const parts: Readonly<Record<Way, () => JSX.Element>> = {
        bot: () => <WithBot request={request} texts={textsOf(accounts, request)} />,
        twitch: () => {
          const canLink = !isWaiting && links.clientId() !== undefined;
          return (
            <>
              {/* Not while the page loads itself again: that would take what is being typed. */}
              <LinkedAccounts
                request={request}
                accounts={linked}
                canChange={!isWaiting || !!refused}
              />
              {isWaiting ? (
                <Waiting request={request} begun={link.begun} />
              ) : canLink ? (
                <LinkForm request={request} isFirst={linked.length === 0} />
              ) : (
                <NoApplication request={request} />
              )}
            </>
          );
        },
      };
      const response = await dashboardPage({
        request,
        title: words.dashboard.sections.chat,
        lead: t.lead,
        notice: outcome && noticeOf(outcome, words),
        children: (
          <>
            <Sample request={request} deps={deps} />
            <Ways request={request} chosen={way} />
            {parts[way]() as "safe"}
          </>
        ),
      });
      if (isWaiting && !refused && way === "twitch") {
        response.headers.set("Refresh", String(RELOAD_S));
      }
      return response;
    },
    async act(request, form) {
      if (fieldOf(form, "do") === CANCEL.name) (await load()).pending.forget(request.user.id);
      return back(request);
    },
    answers: {
      [linkChat.name]: async (request, begun: BegunLink) => {
        (await load()).pending.wait(request.user.id, begun);
        return back(request);
      },
    },
  };
}

const noticeOf = (outcome: ChatAccount | Refused, words: Words): Notice =>
  outcome instanceof Refused
    ? { tone: "bad", text: outcome.text(words) }
    : linkedNotice(words, outcome);
