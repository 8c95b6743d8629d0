import {
  ActionButton,
  ActionForm,
  ConfirmedAction,
  formOf,
  TextInput,
  TickInput,
} from "../../dashboard/action-form.tsx";
import { Fold } from "../../html/form.tsx";
import type { DashboardRequest } from "../../dashboard/request.ts";
import { attribute } from "../../html/attribute.ts";
import { fill, formatTime } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { changeChatOptions, sayInChat, unlinkChat } from "../actions.ts";
import { ASKING_BADGES, MOST_WORDS, readChatOptions } from "../options.ts";
import type { ChatAccount } from "../store.ts";
import { queryOfWay } from "./ways.tsx";
import { Submit, Hint, Titled } from "../../html/parts.tsx";

const AT = queryOfWay("twitch");

interface LinkedAccountsProps {
  readonly request: DashboardRequest;
  readonly accounts: readonly ChatAccount[];
  /** Whether their forms are shown. */
  readonly canChange: boolean;
}

/** The accounts that answer, if there are any. */
export function LinkedAccounts({ accounts, ...shown }: LinkedAccountsProps): JSX.Element {
  if (accounts.length === 0) return <></>;
  return (
    <Titled title={shown.request.words.dashboard.chat.accounts}>
      <ul class="rows">
        {accounts.map((account) => (
          <LinkedAccount {...shown} account={account} />
        ))}
      </ul>
    </Titled>
  );
}

interface LinkedAccountProps extends Omit<LinkedAccountsProps, "accounts"> {
  readonly account: ChatAccount;
}

function LinkedAccount({ request, account, canChange }: LinkedAccountProps): JSX.Element {
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
        <Hint text={fill(t.lastRefusal, { time: timeOf(refusedAt), words: refusal })} />
      )}
      {canChange && (
        <div class="row-actions" role="group" aria-labelledby={`chat-${attribute(login)}`}>
          <OptionsForm request={request} account={account} />
          {state === "linked" && (
            <ActionButton form={formOf(request, sayInChat, { login })} label={t.say} at={AT} />
          )}
          <ConfirmedAction
            form={formOf(request, unlinkChat, { login })}
            label={t.unlink}
            consequence={t.unlinkText}
            at={AT}
          />
        </div>
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

/** How an account answers, folded away. */
function OptionsForm({ request, account }: Omit<LinkedAccountProps, "canChange">): JSX.Element {
  const { options: t } = request.words.dashboard.chat;
  const form = formOf(request, changeChatOptions, { login: account.login });
  const stored = readChatOptions(account.options);
  type Name = keyof typeof form.inputs;
  const text = (name: Name, label: string, value: string, hint?: string) => (
    <TextInput {...{ form, name, label, value, hint }} />
  );
  const tick = (name: Name, label: string, isOn: boolean, hint?: string) => (
    <TickInput {...{ form, name, label, isOn, hint }} />
  );
  const wordsHint = fill(t.wordsHint, { most: String(MOST_WORDS) });
  return (
    <Fold label={t.title} isOpen={form.refused !== undefined}>
      <ActionForm form={form} at={AT}>
        {text("words", t.words, stored.words.join(" "), wordsHint)}
        {tick("last", t.answersLast, stored.answersLast)}
        <fieldset>
          <legend safe>{t.badges}</legend>
          <Hint text={t.badgesHint} />
          {ASKING_BADGES.map((badge) =>
            tick(badge, t.badgeNames[badge], stored.badges.includes(badge)),
          )}
        </fieldset>
        {tick("replies", t.replies, stored.replies)}
        {text("quiet", t.quietS, String(stored.quietS), t.quietHint)}
        {tick("shows", t.shows, stored.shows, t.showsHint)}
        {tick("announces", t.announces, stored.announces, t.announcesHint)}
        {text("announceEvery", t.announceEveryS, String(stored.announceEveryS))}
        <Submit label={t.save} />
      </ActionForm>
    </Fold>
  );
}
