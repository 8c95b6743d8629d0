import type { Accounts } from "../accounts.ts";
import { endAllSessions, endSession } from "../session-actions.ts";
import type { Session } from "../sessions.ts";
import { chooseLanguage, deleteAccount } from "../user-actions.ts";
import type { User } from "../users.ts";
import { dashboardAddress, pageAddress } from "../../addresses.ts";
import { fill, formatDay, formatTime, languages } from "../../i18n/index.ts";
import { LANGUAGES, languageTag } from "../../languages.ts";
import { Html } from "../../jsx.ts";
import { attribute } from "../../html/attribute.ts";
import { messagePage } from "../../html/message-page.tsx";
import { browserNameOf } from "./browser-name.ts";
import {
  ActionForm,
  ChoiceInput,
  ConfirmedAction,
  formOf,
  TextInput,
} from "../../dashboard/action-form.tsx";
import { Confirm } from "../../html/form.tsx";
import { exportOf } from "./export.ts";
import { dashboardPage } from "../../dashboard/frame.tsx";
import type { DashboardRequest, Section } from "../../dashboard/request.ts";
import type { Parts } from "../../http/parts.ts";
import { LinkButton, Submit, Titled } from "../../html/parts.tsx";

export type AccountDeps = Pick<Parts, "accounts" | "budget" | "sessionCookie" | "sources">;

/** The account page: language, signed-in browsers, data export and deletion. */
export function createSection({ accounts, budget, sessionCookie, sources }: AccountDeps): Section {
  const leave = ({ basePath, language }: DashboardRequest): Response =>
    sessionCookie.signOut(pageAddress(basePath, language, "sign-in"));

  const sayGoodbye = async ({ user, words, language, basePath }: DashboardRequest) => {
    const { account: t } = words.dashboard;
    const title = fill(t.goodbyeTitle, { user: user.name });
    const goodbye = await messagePage({
      language,
      basePath,
      title,
      lead: t.goodbyeText,
      status: 200,
    });
    for (const cookie of sessionCookie.signOut("").headers.getSetCookie()) {
      goodbye.headers.append("Set-Cookie", cookie);
    }
    return goodbye;
  };

  return {
    show: (request) => accountPage(accounts, request),
    files: {
      export: ({ user }) => ({
        name: `marquee-${user.name}.json`,
        type: "application/json",
        body: exportOf(user, accounts, sources, () => budget.letOthersIn(user.id)),
      }),
    },
    answers: {
      [endSession.name]: (request, { id }: { id: string }) =>
        id === request.session.id ? leave(request) : undefined,
      [endAllSessions.name]: leave,
      [deleteAccount.name]: sayGoodbye,
    },
  };
}

async function accountPage(
  { users, sessions }: AccountDeps["accounts"],
  request: DashboardRequest,
): Promise<Response> {
  const { words, user } = request;
  const { account: t } = words.dashboard;
  return dashboardPage({
    request,
    title: words.dashboard.sections.account,
    lead: fill(t.lead, { user: user.name }),
    children: (
      <>
        <LanguageForm request={request} />
        <Browsers request={request} open={sessions.list(user)} />
        <Titled title={t.exportTitle}>
          <p safe>{t.exportText}</p>
          <p class="actions">
            <LinkButton
              label={t.exportLink}
              href={dashboardAddress(request.basePath, request.language, "/account/export")}
            />
          </p>
        </Titled>
        <Deletion request={request} heir={heirOf(users, user)} />
      </>
    ),
  });
}

type Heir =
  | { readonly kind: "owner stays" }
  | { readonly kind: "heir"; readonly name: string }
  | { readonly kind: "nobody" };

/** Who will own the server after this user is deleted. */
function heirOf(users: Pick<Accounts["users"], "heirOf">, user: User): Heir {
  if (user.role !== "owner") return { kind: "owner stays" };
  const next = users.heirOf(user);
  return next ? { kind: "heir", name: next.name } : { kind: "nobody" };
}

function LanguageForm({ request }: { request: DashboardRequest }): JSX.Element {
  const { account: t } = request.words.dashboard;
  const form = formOf(request, chooseLanguage);
  return (
    <Titled title={t.language}>
      <ActionForm form={form} class="form in-line">
        <ChoiceInput
          form={form}
          name="language"
          label={t.languageLabel}
          value={request.language}
          options={LANGUAGES.map((value) => ({
            value,
            label: languages[value].endonym,
            lang: languageTag(value),
          }))}
        />
        <Submit label={t.languageSave} class="quiet" />
      </ActionForm>
    </Titled>
  );
}

function Browsers({
  request,
  open,
}: {
  request: DashboardRequest;
  open: readonly Session[];
}): JSX.Element {
  const { account: t } = request.words.dashboard;
  const isThis = ({ id }: Session) => id === request.session.id;
  const inOrder = [...open.filter(isThis), ...open.filter((session) => !isThis(session))];
  return (
    <Titled title={t.sessions}>
      <p safe>{t.sessionsText}</p>
      <ul class="rows">
        {inOrder.map((session) => (
          <Browser request={request} session={session} isThis={isThis(session)} />
        ))}
      </ul>
      <ConfirmedAction
        form={formOf(request, endAllSessions)}
        label={t.everywhere}
        consequence={t.everywhereText}
      />
    </Titled>
  );
}

interface BrowserProps {
  readonly request: DashboardRequest;
  readonly session: Session;
  readonly isThis: boolean;
}

function Browser({ request, session, isThis }: BrowserProps): JSX.Element {
  const { account: t } = request.words.dashboard;
  const { id, userAgent, createdAt, lastSeenAt } = session;
  const name = describeBrowser(request, userAgent);
  return (
    <li class="beside">
      <div>
        <h3 safe>{name}</h3>
        <p class="facts">
          {isThis ? (
            <strong class="tag" safe>
              {t.thisBrowser}
            </strong>
          ) : (
            <span safe>{fill(t.seen, { time: formatTime(request.language, lastSeenAt) })}</span>
          )}
          <span safe>{fill(t.since, { day: formatDay(request.language, createdAt) })}</span>
        </p>
      </div>
      <ActionForm form={formOf(request, endSession, { id })} class="">
        <Submit
          label={t.signOut}
          class="quiet"
          aria-label={attribute(fill(t.signOutOf, { browser: name }))}
        />
      </ActionForm>
    </li>
  );
}

/** The browser's name, such as `Firefox on Windows`. */
function describeBrowser({ words }: DashboardRequest, userAgent: string): string {
  const { account: t } = words.dashboard;
  const { browser = t.unknownBrowser, system } = browserNameOf(userAgent);
  return system === undefined ? browser : fill(t.browserOn, { browser, system });
}

interface DeletionProps {
  readonly request: DashboardRequest;
  readonly heir: Heir;
}

function Deletion({ request, heir }: DeletionProps): JSX.Element {
  const { user, words } = request;
  const { account: t } = words.dashboard;
  const form = formOf(request, deleteAccount);
  return (
    <Titled title={t.deleteTitle}>
      <Confirm label={t.deleteTitle} consequence={t.deleteText} isOpen={form.refused !== undefined}>
        <ActionForm form={form}>
          {heir.kind === "heir" && <p safe>{fill(t.nextOwner, { user: heir.name })}</p>}
          {heir.kind === "nobody" && <p safe>{t.lastUser}</p>}
          <TextInput form={form} name="confirm" label={fill(t.deleteName, { user: user.name })} />
          <Submit label={t.deleteTitle} class="bad" />
        </ActionForm>
      </Confirm>
    </Titled>
  );
}
