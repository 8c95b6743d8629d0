import type { ChatAccount } from "../../accounts/chat-accounts.ts";
import type { LinkOutcome } from "../../chat/twitch/links.ts";
import type { PendingLink } from "../../chat/twitch/pending-links.ts";
import { REGISTRATION_URL, UNUSED_REDIRECT_URL } from "../../chat/twitch/registration.ts";
import { attribute } from "../../html/attribute.ts";
import { Copyable } from "../../html/parts.tsx";
import { fill, formatTime, type Words } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { ActionButton, ConfirmedAction, Form, TextForm } from "../form.tsx";
import { dashboardPage } from "../frame.tsx";
import type { DashboardRequest, Notice } from "../request.ts";
import { ChatOptionsForm, type ChatOptionsFormProps, type TypedOptions } from "./options.tsx";
import { QrCode } from "./qr-code.tsx";
import { LONGEST_CLIENT_ID } from "../../config.ts";
import { LONGEST_LOGIN } from "../../chat/options.ts";

/** What the page shows. */
export interface ChatView {
  readonly accounts: readonly ChatAccount[];
  /** Whether there is an application to link through. */
  readonly canLink: boolean;
  /** The link that waits for the user. */
  readonly pending: PendingLink | undefined;
  /** Options that were sent and are wrong. */
  readonly typed?: TypedOptions;
}

export function chatPage(
  request: DashboardRequest,
  view: ChatView,
  notice?: Notice,
): Promise<Response> {
  const { words } = request;
  const { chat: t } = words.dashboard;
  const { accounts, pending, canLink, typed } = view;
  const page = {
    request,
    title: words.dashboard.sections.chat,
    lead: t.lead,
    notice,
    children: (
      <>
        <section>
          <h2 safe>{t.accounts}</h2>
          {accounts.length === 0 && <p safe>{t.none}</p>}
          <ul class="rows">
            {accounts.map((account) => (
              <LinkedAccount
                request={request}
                account={account}
                typed={typed?.accountId === account.id ? typed : undefined}
                canChange={!pending || typed !== undefined}
              />
            ))}
          </ul>
        </section>
        {pending ? (
          <Waiting request={request} pending={pending} />
        ) : canLink ? (
          <LinkForm request={request} />
        ) : (
          <NoApplication request={request} />
        )}
      </>
    ),
  };
  return dashboardPage(page, typed ? 422 : 200);
}

/** How a link has come out, in a sentence; `undefined` if nobody waits for it. */
export function outcomeNotice(outcome: LinkOutcome, words: Words): Notice | undefined {
  const { chat: t } = words.dashboard;
  switch (outcome.kind) {
    case "linked":
      return { tone: "good", text: fill(t.linkedAs, { login: outcome.account.login }) };
    case "expired":
      return { tone: "bad", text: t.expired };
    case "incomplete":
      return { tone: "bad", text: t.incomplete };
    case "unknown channel":
      return { tone: "bad", text: t.unknownChannel };
    case "uncertain":
      return { tone: "bad", text: t.uncertain };
    case "refused": {
      const { message } = outcome;
      return {
        tone: "bad",
        text: message === "" ? t.refused : fill(t.refusedWith, { words: message }),
      };
    }
    case "aborted":
      return undefined;
  }
}

interface LinkedAccountProps extends ChatOptionsFormProps {
  /** Not while the page loads itself again: that would take what is being typed. */
  readonly canChange: boolean;
}

function LinkedAccount(props: LinkedAccountProps): JSX.Element {
  const { request, account, canChange } = props;
  const { chat: t } = request.words.dashboard;
  const { login, state, answeredAt, refusal, refusedAt } = account;
  const timeOf = (unixMs: number) => formatTime(request.language, unixMs);
  return (
    <li>
      <h3 id={`chat-${attribute(login)}`} safe>
        {login}
      </h3>
      <p class={state === "linked" ? "hint" : "status warn"} safe>
        {stateText(request, account)}
      </p>
      <p class="facts">
        <span safe>
          {answeredAt === null ? t.noAnswer : fill(t.lastAnswer, { time: timeOf(answeredAt) })}
        </span>
      </p>
      {refusal !== null && refusedAt !== null && (
        <p class="hint" safe>
          {fill(t.lastRefusal, { time: timeOf(refusedAt), words: refusal })}
        </p>
      )}
      {canChange && (
        <>
          <ChatOptionsForm {...props} />
          <div class="row-actions" role="group" aria-labelledby={`chat-${attribute(login)}`}>
            {state === "linked" && (
              <ActionButton request={request} action="say" target={login} label={t.say} />
            )}
            <ConfirmedAction
              request={request}
              action="unlink"
              target={login}
              label={t.unlink}
              consequence={t.unlinkText}
            />
          </div>
        </>
      )}
    </li>
  );
}

function stateText({ words, language }: DashboardRequest, account: ChatAccount): string {
  const { chat: t } = words.dashboard;
  const { channel, state, readingSince } = account;
  if (state === "refused") return t.stateRefused;
  if (state === "stopped") return fill(t.stateStopped, { channel });
  if (readingSince === null) return fill(t.notReading, { channel });
  return fill(t.reading, { channel, time: formatTime(language, readingSince) });
}

/** A link that the user has to agree to. */
function Waiting(props: { request: DashboardRequest; pending: PendingLink }): JSX.Element {
  const { request, pending } = props;
  const { chat: t } = request.words.dashboard;
  return (
    <section>
      <h2 safe>{t.linkTitle}</h2>
      <p safe>{t.begun}</p>
      {pending.link !== undefined && (
        <p>
          <a
            class="button"
            href={attribute(pending.link)}
            target="_blank"
            rel="noopener noreferrer"
            safe
          >
            {t.open}
          </a>
        </p>
      )}
      {pending.link !== undefined && (
        <>
          <p class="hint" safe>
            {t.byPhone}
          </p>
          <QrCode text={pending.link} label={t.qrCode} />
        </>
      )}
      <p safe>{fill(t.code, { code: pending.userCode })}</p>
      <p class="hint" safe>
        {t.waiting}
      </p>
      <Form request={request} action="cancel">
        <button type="submit" class="quiet" safe>
          {t.cancel}
        </button>
      </Form>
    </section>
  );
}

function LinkForm({ request }: { request: DashboardRequest }): JSX.Element {
  const { chat: t } = request.words.dashboard;
  return (
    <section>
      <h2 safe>{t.linkTitle}</h2>
      <p safe>{t.linkText}</p>
      <TextForm
        request={request}
        action="link"
        go={t.link}
        id="channel"
        label={t.channel}
        hint={t.channelHint}
        maxlength={LONGEST_LOGIN}
      />
    </section>
  );
}

function NoApplication({ request }: { request: DashboardRequest }): JSX.Element {
  const { connect, dashboard } = request.words;
  const { chat: t } = dashboard;
  if (request.user.role !== "owner") {
    return (
      <section>
        <p safe>{t.appOfOwner}</p>
      </section>
    );
  }
  return (
    <section>
      <h2 safe>{t.appTitle}</h2>
      <p safe>{t.appLead}</p>
      <ol class="steps">
        <li>
          <span safe>{t.appCreate}</span>
          <br />
          <a href={REGISTRATION_URL} target="_blank" rel="noopener noreferrer">
            {REGISTRATION_URL}
          </a>
        </li>
        <li>
          <span safe>{connect.appRedirect}</span>
          <Copyable language={request.language} text={UNUSED_REDIRECT_URL} />
        </li>
        <li>
          <span safe>{connect.appEnter}</span>
          <TextForm
            request={request}
            action="app"
            go={t.appSave}
            id="client-id"
            label={t.appId}
            maxlength={LONGEST_CLIENT_ID}
            required
          />
        </li>
      </ol>
    </section>
  );
}
