import { resolve } from "node:path";
import { AccountError } from "../../accounts/context.ts";
import { SIGN_IN_PURPOSE } from "../../accounts/magic-links.ts";
import { secretKeyPath } from "../../vault/secret-key-files.ts";
import { isUserName } from "../../user-name.ts";
import type { User, UserPage } from "../../accounts/users.ts";
import { pageAddress, signInAddress, widgetAddress } from "../../addresses.ts";
import { describeSettings, type ResolvedConfig } from "../../config.ts";
import { fill, formatDay } from "../../i18n/index.ts";
import { languageOr } from "../../languages.ts";
import { Html } from "../../jsx.ts";
import { reachOf } from "../../outputs/reach.ts";
import { VERSION_LINE } from "../../version.ts";
import { attribute } from "../../html/attribute.ts";
import { fieldOf, targetIdOf } from "../../http/form-field.ts";
import { ActionButton, ConfirmedAction, TextForm } from "../form.tsx";
import { dashboardPage } from "../frame.tsx";
import { describeStatus } from "../music/status-words.ts";
import { labelOf, musicOf } from "../../sources/connected-music.ts";
import type { DashboardRequest, Notice, Section } from "../request.ts";
import { pathTo } from "../../html/section-paths.ts";
import type { Parts } from "../../http/parts.ts";

/** A typed name that cannot be added. */
interface RefusedName {
  readonly typed: string;
  readonly mistake: string;
}

/** The owner's page: users, backup and settings. */
export function createSection(deps: Parts): Section {
  const { accounts, settings, baseUrl } = deps;

  const page = async (request: DashboardRequest, refused?: RefusedName): Promise<Response> => {
    const { words } = request;
    const { server: t } = words.dashboard;
    const asked = Math.trunc(Number(request.query.get("page")));
    const shown = await accounts.users.page(Math.max(1, asked || 1));
    return dashboardPage(
      {
        request,
        title: words.dashboard.sections.server,
        lead: t.lead,
        notice: refused && { tone: "bad", text: t.notAdded },
        children: (
          <>
            <section>
              <h2 safe>{t.users}</h2>
              <ul class="people">
                {shown.users.map((user) => (
                  <UserCard deps={deps} request={request} user={user} page={shown.number} />
                ))}
              </ul>
              {shown.pages > 1 && <PageLinks request={request} shown={shown} />}
            </section>
            <section>
              <h2 safe>{t.add}</h2>
              <p safe>{t.addText}</p>
              <TextForm
                request={request}
                action="add"
                go={t.add}
                id="user-name"
                label={t.name}
                hint={t.nameHint}
                value={refused?.typed}
                mistake={refused?.mistake}
                required
              />
            </section>
            <Backup request={request} settings={settings} />
            <About request={request} />
            <FromOutside request={request} settings={settings} />
            <SettingsInForce request={request} settings={settings} />
          </>
        ),
      },
      refused ? 422 : 200,
    );
  };

  /** A magic link in the language of the user it is for. */
  const signInUrl = async (user: User, request: DashboardRequest): Promise<string> => {
    const secret = accounts.magicLinks.issue(user, SIGN_IN_PURPOSE);
    const language = languageOr(user.language, request.language);
    return signInAddress(baseUrl, language, secret);
  };

  const add = async (request: DashboardRequest, form: FormData): Promise<Notice | Response> => {
    const { server: t } = request.words.dashboard;
    const typed = fieldOf(form, "user-name");
    if (!isUserName(typed)) return page(request, { typed, mistake: t.nameRefused });
    try {
      const [added] = await accounts.add([typed]);
      if (!added) return await page(request);
      const { user, key, widgetToken } = added;
      return {
        tone: "good",
        text: fill(t.added, { user: user.name }),
        shownOnce: [
          { label: t.signInLink, value: await signInUrl(user, request) },
          { label: t.apiKey, value: key },
          {
            label: t.widgetUrl,
            value: widgetAddress(baseUrl, request.language, widgetToken),
          },
        ],
      };
    } catch (error) {
      if (!(error instanceof AccountError)) throw error;
      return page(request, { typed, mistake: fill(t.nameTaken, { user: typed }) });
    }
  };

  const remove = async (request: DashboardRequest, user: User): Promise<Notice> => {
    const { server: t } = request.words.dashboard;
    if (user.id === request.user.id) return { tone: "bad", text: t.removeSelf };
    await accounts.users.remove(user.name);
    return { tone: "good", text: fill(t.removed, { user: user.name }) };
  };

  const makeLink = async (request: DashboardRequest, user: User): Promise<Notice> => {
    const { server: t } = request.words.dashboard;
    return {
      tone: "good",
      text: fill(t.linkMade, { user: user.name }),
      shownOnce: [{ label: t.signInLink, value: await signInUrl(user, request) }],
    };
  };

  return {
    show: (request) => page(request),
    async act(request, form) {
      const { server: t } = request.words.dashboard;
      const action = fieldOf(form, "do");
      if (action === "add") return add(request, form);
      if (action === "stop") return stop(request, deps.stopServer);
      if (action !== "link" && action !== "remove") return page(request);
      const user = accounts.users.withId(targetIdOf(form));
      if (!user) return { tone: "bad", text: t.unknown };
      const notice = await (action === "remove" ? remove : makeLink)(request, user);
      return { ...notice, at: atPage(fieldOf(form, "page")) };
    },
  };
}

/** The query of the page of users that a form was sent from: the browser comes back to it. */
const atPage = (page: string): string => (/^[1-9]\d{0,5}$/.test(page) ? `page=${page}` : "");

interface UserCardProps {
  readonly deps: Parts;
  readonly request: DashboardRequest;
  readonly user: User;
  /** The page of users that it is on. */
  readonly page: number;
}

/** A user: what is connected, and what the owner can do. */
async function UserCard({ deps, request, user, page }: UserCardProps): Promise<string> {
  const { accounts, sources, clock } = deps;
  const { words, language } = request;
  const { server: t, health: healthWords, music: musicWords } = words.dashboard;
  const isSelf = user.id === request.user.id;
  const music = await musicOf(user.id, accounts, sources);
  const statuses =
    music.length === 0
      ? [{ tone: "idle", text: healthWords.nothing }]
      : music.map((one) => describeStatus(one, language, clock.wallMs()));
  const linkedUntil = music
    .flatMap(({ status }) => status.linkedUntil ?? [])
    .toSorted((a, b) => a - b)[0];
  const about = [
    user.role === "owner" ? t.owner : t.member,
    ...(isSelf ? [t.you] : []),
    ...music.map(labelOf),
  ];
  const target = String(user.id);
  const from = <input type="hidden" name="page" value={String(page)} />;
  return (
    <li>
      <h3 id={`user-${user.id}`} safe>
        {user.name}
      </h3>
      <p class="hint" safe>
        {about.join(" · ")}
      </p>
      {statuses.map(({ tone, text }) => (
        <p class={`status ${tone}`} safe>
          {text}
        </p>
      ))}
      {linkedUntil !== undefined && (
        <p class="hint" safe>
          {fill(musicWords.linkedUntil, { day: formatDay(language, linkedUntil) })}
        </p>
      )}
      <div class="actions" role="group" aria-labelledby={`user-${user.id}`}>
        <ActionButton request={request} action="link" target={target} label={t.makeLink}>
          {from}
        </ActionButton>
        {!isSelf && (
          <ConfirmedAction
            request={request}
            action="remove"
            target={target}
            label={t.remove}
            consequence={fill(t.removeText, { user: user.name })}
            go={fill(t.removeUser, { user: user.name })}
          >
            {from}
          </ConfirmedAction>
        )}
      </div>
    </li>
  );
}

interface PageLinksProps {
  readonly request: DashboardRequest;
  readonly shown: UserPage;
}

/** Hyperlinks to the pages of users. Each user's connection must be decrypted to be shown. */
function PageLinks({ request, shown: { number, pages } }: PageLinksProps): JSX.Element {
  return (
    <nav class="actions" aria-label={attribute(request.words.dashboard.server.users)}>
      {Array.from({ length: pages }, (_, at) => (
        <a
          href={`${pathTo(request, "server")}?page=${at + 1}`}
          {...(at + 1 === number && { "aria-current": "page" })}
        >
          {at + 1}
        </a>
      ))}
    </nav>
  );
}

interface PartProps {
  readonly request: DashboardRequest;
  readonly settings: ResolvedConfig;
}

/** Stops the server, which answers with its last page. */
async function stop(request: DashboardRequest, stopServer: () => void): Promise<Response> {
  const { server: t } = request.words.dashboard;
  const last = await dashboardPage({
    request,
    title: t.stopped,
    lead: t.stoppedText,
    children: <></>,
  });
  stopServer();
  return last;
}

function About({ request }: Pick<PartProps, "request">): JSX.Element {
  const { server: t } = request.words.dashboard;
  return (
    <section>
      <h2 safe>{t.runs}</h2>
      <p safe>{VERSION_LINE}</p>
      <p class="breakable" safe>
        {request.baseUrl}
      </p>
      <ConfirmedAction
        request={request}
        action="stop"
        label={t.stop}
        consequence={t.stopText}
        go={t.stopNow}
      />
    </section>
  );
}

function Backup({ request, settings: { config, origins } }: PartProps): JSX.Element {
  const { server: t } = request.words.dashboard;
  const key =
    config.secretKey === null
      ? resolve(secretKeyPath(config.data))
      : fill(t.keyFrom, { origin: origins.secretKey });
  return (
    <section>
      <h2 safe>{t.backup}</h2>
      <p safe>{t.backupText}</p>
      <p class="breakable" safe>
        {fill(t.backupKey, { key })}
      </p>
      <p class="actions">
        <a class="button" href={`${pathTo(request, "server")}/backup`} download="" safe>
          {t.download}
        </a>
      </p>
    </section>
  );
}

/** What the base URL says about who can reach this server. Nobody is called to find out. */
function FromOutside({ request, settings: { config } }: PartProps): JSX.Element {
  const { basePath, baseUrl, language, words } = request;
  const { reach: t } = words;
  const reach = reachOf(baseUrl);
  return (
    <section>
      <h2 safe>{t.title}</h2>
      <p class={`status ${reach === "public" ? "good" : "warn"}`} safe>
        {fill(t[reach], { host: new URL(baseUrl).host })}
      </p>
      {reach === "public" && config.trustedProxies.length === 0 && (
        <p class="status warn" safe>
          {t.noProxy}
        </p>
      )}
      <p class="actions">
        <a class="button quiet" href={pageAddress(basePath, language, "docs/reach")} safe>
          {t.how}
        </a>
      </p>
    </section>
  );
}

function SettingsInForce({ request, settings }: PartProps): JSX.Element {
  const { server: t } = request.words.dashboard;
  return (
    <section>
      <h2 safe>{t.settings}</h2>
      <p safe>{t.settingsText}</p>
      <dl class="settings">
        {describeSettings(settings).map(({ setting, text, masked, origin, isChosen }) => (
          <div {...(isChosen && { class: "chosen" })}>
            <dt safe>{setting}</dt>
            <dd class="value" safe>
              {masked ? t.masked : text}
            </dd>
            <dd class="origin" safe>
              {isChosen ? origin : t.standard}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
