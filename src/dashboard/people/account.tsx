import type { Accounts } from "../../accounts/accounts.ts";
import type { Session } from "../../accounts/sessions.ts";
import type { User } from "../../accounts/users.ts";
import { pageAddress } from "../../addresses.ts";
import { fill, formatDay, formatTime, languages } from "../../i18n/index.ts";
import { isLanguage, LANGUAGES, languageTag } from "../../languages.ts";
import { Html } from "../../jsx.ts";
import { attribute } from "../../html/attribute.ts";
import { fieldOf } from "../../http/form-field.ts";
import { messagePage } from "../../html/message-page.tsx";
import { browserNameOf } from "./browser-name.ts";
import { Choice, ConfirmedAction, Field, Fold, Form } from "../form.tsx";
import { exportOf } from "./export.ts";
import { dashboardPage } from "../frame.tsx";
import type { DashboardRequest, Notice, Section } from "../request.ts";
import { pathTo } from "../../html/section-paths.ts";
import type { Parts } from "../../http/parts.ts";

export type AccountDeps = Pick<Parts, "accounts" | "budget" | "sessionCookie" | "sources">;

/** The text typed to confirm a deletion, when it is not the user's name. */
interface RefusedDeletion {
  readonly typed: string;
}

/** The account page: language, signed-in browsers, data export and deletion. */
export function createSection({ accounts, budget, sessionCookie, sources }: AccountDeps): Section {
  const { users, sessions } = accounts;
  const page = (request: DashboardRequest, refused?: RefusedDeletion) =>
    accountPage(accounts, request, refused);

  const leave = ({ basePath, language }: DashboardRequest): Response =>
    sessionCookie.signOut(pageAddress(basePath, language, "sign-in"));

  const setLanguage = async (
    request: DashboardRequest,
    form: FormData,
  ): Promise<Notice | Response> => {
    const language = fieldOf(form, "language");
    if (!isLanguage(language)) return page(request);
    await users.setLanguage(request.user, language);
    const { languageSaved } = languages[language].dashboard.account;
    return { tone: "good", text: languageSaved, language };
  };

  const signOut = async (
    request: DashboardRequest,
    sessionId: string,
  ): Promise<Notice | Response> => {
    await sessions.close(request.user, sessionId);
    if (sessionId === request.session.id) return leave(request);
    return { tone: "good", text: request.words.dashboard.account.signedOut };
  };

  const deleteAll = async (request: DashboardRequest, form: FormData): Promise<Response> => {
    const { user, words, language, basePath } = request;
    const { account: t } = words.dashboard;
    const typed = fieldOf(form, "username");
    if (typed !== user.name) return page(request, { typed });
    await users.remove(user.name);
    const goodbye = await messagePage({
      language,
      basePath,
      title: fill(t.goodbyeTitle, { user: user.name }),
      lead: t.goodbyeText,
      status: 200,
    });
    for (const cookie of sessionCookie.signOut("").headers.getSetCookie()) {
      goodbye.headers.append("Set-Cookie", cookie);
    }
    return goodbye;
  };

  return {
    show: (request) => page(request),
    files: {
      export: ({ user }) => ({
        name: `marquee-${user.name}.json`,
        type: "application/json",
        body: exportOf(user, accounts, sources, () => budget.letOthersIn(user.id)),
      }),
    },
    async act(request, form) {
      switch (fieldOf(form, "do")) {
        case "language":
          return setLanguage(request, form);
        case "sign out":
          return signOut(request, fieldOf(form, "target"));
        case "sign out everywhere":
          await sessions.closeAll(request.user);
          return leave(request);
        case "delete":
          return deleteAll(request, form);
        default:
          return page(request);
      }
    },
  };
}

/** The account page, with the text that did not confirm a deletion. */
async function accountPage(
  { users, sessions }: AccountDeps["accounts"],
  request: DashboardRequest,
  refused?: RefusedDeletion,
): Promise<Response> {
  const { words, user } = request;
  const { account: t } = words.dashboard;
  const wrong = fill(t.deleteNameWrong, { user: user.name });
  return dashboardPage(
    {
      request,
      title: words.dashboard.sections.account,
      lead: fill(t.lead, { user: user.name }),
      notice: refused && { tone: "bad", text: wrong },
      children: (
        <>
          <LanguageForm request={request} />
          <Browsers request={request} open={await sessions.list(user)} />
          <section>
            <h2 safe>{t.exportTitle}</h2>
            <p safe>{t.exportText}</p>
            <p class="actions">
              <a class="button quiet" href={`${pathTo(request, "account")}/export`} safe>
                {t.exportLink}
              </a>
            </p>
          </section>
          <Deletion request={request} heir={await heirOf(users, user)} refused={refused} />
        </>
      ),
    },
    refused ? 422 : 200,
  );
}

type Heir =
  | { readonly kind: "owner stays" }
  | { readonly kind: "heir"; readonly name: string }
  | { readonly kind: "nobody" };

/** Who will own the server after this user is deleted. */
async function heirOf(users: Pick<Accounts["users"], "heirOf">, user: User): Promise<Heir> {
  if (user.role !== "owner") return { kind: "owner stays" };
  const next = users.heirOf(user);
  return next ? { kind: "heir", name: next.name } : { kind: "nobody" };
}

function LanguageForm({ request }: { request: DashboardRequest }): JSX.Element {
  const { account: t } = request.words.dashboard;
  return (
    <section>
      <h2 safe>{t.language}</h2>
      <Form request={request} action="language" class="form in-line">
        <>
          <Choice
            id="language"
            label={t.languageLabel}
            chosen={request.language}
            options={LANGUAGES.map((value) => ({
              value,
              label: languages[value].endonym,
              lang: languageTag(value),
            }))}
          />
          <button type="submit" class="quiet" safe>
            {t.languageSave}
          </button>
        </>
      </Form>
    </section>
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
    <section>
      <h2 safe>{t.sessions}</h2>
      <p safe>{t.sessionsText}</p>
      <ul class="rows">
        {inOrder.map((session) => (
          <Browser request={request} session={session} isThis={isThis(session)} />
        ))}
      </ul>
      <ConfirmedAction
        request={request}
        action="sign out everywhere"
        label={t.everywhere}
        consequence={t.everywhereText}
      />
    </section>
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
      <Form request={request} action="sign out" target={id} class="">
        <button
          type="submit"
          class="quiet"
          aria-label={attribute(fill(t.signOutOf, { browser: name }))}
          safe
        >
          {t.signOut}
        </button>
      </Form>
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
  readonly refused: RefusedDeletion | undefined;
}

function Deletion({ request, heir, refused }: DeletionProps): JSX.Element {
  const { user, words } = request;
  const { account: t } = words.dashboard;
  return (
    <section>
      <h2 safe>{t.deleteTitle}</h2>
      <p safe>{t.deleteText}</p>
      {heir.kind === "heir" && <p safe>{fill(t.nextOwner, { user: heir.name })}</p>}
      {heir.kind === "nobody" && <p safe>{t.lastUser}</p>}
      <Fold label={t.deleteTitle} isOpen={refused !== undefined}>
        <Form request={request} action="delete">
          <>
            <Field
              id="username"
              label={fill(t.deleteName, { user: user.name })}
              value={refused?.typed}
              mistake={refused && fill(t.deleteNameWrong, { user: user.name })}
              required
            />
            <button type="submit" class="bad" safe>
              {t.deleteTitle}
            </button>
          </>
        </Form>
      </Fold>
    </section>
  );
}
