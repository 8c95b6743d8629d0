import type { Accounts } from "../../accounts/accounts.ts";
import type { Session } from "../../accounts/sessions.ts";
import type { User } from "../../accounts/users.ts";
import {
  fill,
  formatDay,
  formatTime,
  isLanguage,
  LANGUAGES,
  languages,
  languageTag,
} from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import type { Hub } from "../../channels/hub.ts";
import { attribute } from "../attribute.ts";
import { fieldOf } from "../../http/form-field.ts";
import { messagePage } from "../message-page.tsx";
import { redirect } from "../../http/redirect.ts";
import type { Door } from "../../http/session-cookie.ts";
import { browserNameOf } from "./browser-name.ts";
import { Choice, Confirm, Field, Form } from "./form.tsx";
import { dashboardPage } from "./frame.tsx";
import { type Notice, pathTo, type Section, type Visit } from "./request.ts";

export interface AccountDeps {
  readonly accounts: Pick<Accounts, "users" | "sessions">;
  readonly door: Pick<Door, "leadOut">;
  readonly hub: Pick<Hub, "followConnections">;
  /** Closes the sockets whose widget token or session no longer works. */
  dropEnded(): Promise<void>;
}

/** What was typed to confirm a deletion and is not the user's name. */
interface RefusedDeletion {
  readonly typed: string;
}

/** The user: language, browsers, all that is kept, and the way out. */
export function createAccount({ accounts, door, hub, dropEnded }: AccountDeps): Section {
  const { users, sessions } = accounts;

  const page = async (visit: Visit, refused?: RefusedDeletion): Promise<Response> => {
    const { words, user, query } = visit;
    const { account: said } = words.dashboard;
    const notice: Notice | undefined = refused
      ? { tone: "bad", text: fill(said.deleteNameWrong, { user: user.name }) }
      : query.has("language")
        ? { tone: "good", text: said.languageSaved }
        : undefined;
    return dashboardPage(
      {
        visit,
        title: words.dashboard.sections.account,
        lead: fill(said.lead, { user: user.name }),
        ...(notice && { notice }),
        children: (
          <>
            <LanguageForm visit={visit} />
            <Browsers visit={visit} open={await sessions.list(user)} />
            <section>
              <h2 safe>{said.exportTitle}</h2>
              <p safe>{said.exportText}</p>
              <p class="actions">
                <a class="button quiet" href={`${pathTo(visit, "account")}/export`} safe>
                  {said.exportLink}
                </a>
              </p>
            </section>
            <Deletion visit={visit} heir={await heirOf(user)} refused={refused} />
          </>
        ),
      },
      refused ? 422 : 200,
    );
  };

  /** Who owns the server once this user is gone. */
  const heirOf = async (user: User): Promise<Heir> => {
    if (user.role !== "owner") return { kind: "owner stays" };
    const next = (await users.list()).find(({ id }) => id !== user.id);
    return next ? { kind: "heir", name: next.name } : { kind: "nobody" };
  };

  const leave = async (visit: Visit): Promise<Response> => {
    await dropEnded();
    return door.leadOut(`${visit.basePath}/${visit.language}/sign-in`);
  };

  const setLanguage = async (visit: Visit, form: FormData): Promise<Response> => {
    const language = fieldOf(form, "language");
    if (!isLanguage(language)) return page(visit);
    await users.setLanguage(visit.user, language);
    const { basePath } = visit;
    return redirect(`${pathTo({ basePath, language }, "account")}?language`, 303);
  };

  const signOut = async (visit: Visit, sessionId: string): Promise<Notice | Response> => {
    await sessions.close(visit.user, sessionId);
    if (sessionId === visit.session.id) return leave(visit);
    await dropEnded();
    return { tone: "good", text: visit.words.dashboard.account.signedOut };
  };

  const deleteAll = async (visit: Visit, form: FormData): Promise<Response> => {
    const { user, words, language, basePath } = visit;
    const { account: said } = words.dashboard;
    const typed = fieldOf(form, "username");
    if (typed !== user.name) return page(visit, { typed });
    await users.remove(user.name);
    await dropEnded();
    await hub.followConnections();
    const goodbye = await messagePage({
      language,
      basePath,
      title: fill(said.goodbyeTitle, { user: user.name }),
      lead: said.goodbyeText,
      status: 200,
    });
    for (const cookie of door.leadOut("").headers.getSetCookie()) {
      goodbye.headers.append("Set-Cookie", cookie);
    }
    return goodbye;
  };

  return {
    show: (visit) => page(visit),
    async act(visit, form) {
      switch (fieldOf(form, "does")) {
        case "language":
          return setLanguage(visit, form);
        case "sign out":
          return signOut(visit, fieldOf(form, "target"));
        case "sign out everywhere":
          await sessions.closeAll(visit.user);
          return leave(visit);
        case "delete":
          return deleteAll(visit, form);
        default:
          return page(visit);
      }
    },
  };
}

type Heir =
  | { readonly kind: "owner stays" }
  | { readonly kind: "heir"; readonly name: string }
  | { readonly kind: "nobody" };

function LanguageForm({ visit }: { visit: Visit }): JSX.Element {
  const { account: said } = visit.words.dashboard;
  return (
    <section>
      <h2 safe>{said.language}</h2>
      <Form visit={visit} does="language" class="form in-line">
        <>
          <Choice
            id="language"
            label={said.languageLabel}
            chosen={visit.language}
            options={LANGUAGES.map((value) => ({
              value,
              label: languages[value].endonym,
              lang: languageTag(value),
            }))}
          />
          <button type="submit" class="quiet" safe>
            {said.languageSave}
          </button>
        </>
      </Form>
    </section>
  );
}

function Browsers({ visit, open }: { visit: Visit; open: readonly Session[] }): JSX.Element {
  const { account: said } = visit.words.dashboard;
  const isThis = ({ id }: Session) => id === visit.session.id;
  const inOrder = [...open.filter(isThis), ...open.filter((session) => !isThis(session))];
  return (
    <section>
      <h2 safe>{said.sessions}</h2>
      <p safe>{said.sessionsText}</p>
      <ul class="rows">
        {inOrder.map((session) => (
          <Browser visit={visit} session={session} isThis={isThis(session)} />
        ))}
      </ul>
      <Confirm label={said.everywhere} consequence={said.everywhereText}>
        <Form visit={visit} does="sign out everywhere">
          <button type="submit" class="bad" safe>
            {said.everywhere}
          </button>
        </Form>
      </Confirm>
    </section>
  );
}

interface BrowserProps {
  readonly visit: Visit;
  readonly session: Session;
  readonly isThis: boolean;
}

function Browser({ visit, session, isThis }: BrowserProps): JSX.Element {
  const { account: said } = visit.words.dashboard;
  const { id, userAgent, createdAt, lastSeenAt } = session;
  const name = describeBrowser(visit, userAgent);
  return (
    <li class="beside">
      <div>
        <h3 safe>{name}</h3>
        <p class="facts">
          {isThis ? (
            <strong class="tag" safe>
              {said.thisBrowser}
            </strong>
          ) : (
            <span safe>{fill(said.seen, { time: formatTime(visit.language, lastSeenAt) })}</span>
          )}
          <span safe>{fill(said.since, { day: formatDay(visit.language, createdAt) })}</span>
        </p>
      </div>
      <Form visit={visit} does="sign out" target={id} class="">
        <button
          type="submit"
          class="quiet"
          aria-label={attribute(fill(said.signOutOf, { browser: name }))}
          safe
        >
          {said.signOut}
        </button>
      </Form>
    </li>
  );
}

/** Such as `Firefox on Windows`. */
function describeBrowser({ words }: Visit, userAgent: string): string {
  const { account: said } = words.dashboard;
  const { browser = said.unknownBrowser, system } = browserNameOf(userAgent);
  return system === undefined ? browser : fill(said.browserOn, { browser, system });
}

interface DeletionProps {
  readonly visit: Visit;
  readonly heir: Heir;
  readonly refused: RefusedDeletion | undefined;
}

function Deletion({ visit, heir, refused }: DeletionProps): JSX.Element {
  const { user, words } = visit;
  const { account: said } = words.dashboard;
  return (
    <section>
      <h2 safe>{said.deleteTitle}</h2>
      <p safe>{said.deleteText}</p>
      {heir.kind === "heir" ? <p safe>{fill(said.nextOwner, { user: heir.name })}</p> : ""}
      {heir.kind === "nobody" ? <p safe>{said.lastUser}</p> : ""}
      <details class="confirm" open={refused !== undefined}>
        <summary class="button quiet" safe>
          {said.deleteTitle}
        </summary>
        <div>
          <Form visit={visit} does="delete" class="">
            <>
              <Field
                id="username"
                label={fill(said.deleteName, { user: user.name })}
                value={refused?.typed}
                mistake={refused && fill(said.deleteNameWrong, { user: user.name })}
                required
              />
              <button type="submit" class="bad" safe>
                {said.deleteTitle}
              </button>
            </>
          </Form>
        </div>
      </details>
    </section>
  );
}
