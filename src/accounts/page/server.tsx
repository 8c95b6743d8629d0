import { resolve } from "node:path";
import { secretKeyPath } from "../../vault/secret-key-files.ts";
import { addUsers, makeSignInLink, removeUser } from "../user-actions.ts";
import type { User, UserPage } from "../users.ts";
import { dashboardAddress, pageAddress } from "../../addresses.ts";
import {
  describeSettings,
  isChosen,
  MASKED,
  type ResolvedConfig,
  type ShownSetting,
  textOf,
} from "../../config.ts";
import { fill } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import { reachOf } from "../../outputs/reach.ts";
import { VERSION_LINE } from "../../version.ts";
import { attribute } from "../../html/attribute.ts";
import { fieldOf } from "../../http/form-field.ts";
import {
  ActionButton,
  ActionForm,
  ConfirmedAction,
  formOf,
  TextInput,
} from "../../dashboard/action-form.tsx";
import { Fold } from "../../html/form.tsx";
import { dashboardPage } from "../../dashboard/frame.tsx";
import type { DashboardRequest, Section } from "../../dashboard/request.ts";
import { pathTo } from "../../html/section-paths.ts";
import type { Parts } from "../../http/parts.ts";
import { LinkButton, Status, Submit, Titled } from "../../html/parts.tsx";

/** Stops the server: no action, because the answer is the last page and no notice. */
const STOP = { name: "stop", inputs: {} } as const;

/** The owner's page: users, backup and settings. */
export function createSection(deps: Parts): Section {
  return {
    show: (request) => serverPage(deps, request),
    async act(request, form) {
      return fieldOf(form, "do") === STOP.name
        ? stop(request, deps.stopServer)
        : serverPage(deps, request);
    },
  };
}

async function serverPage(deps: Parts, request: DashboardRequest): Promise<Response> {
  const { accounts, settings } = deps;
  const { words } = request;
  const { server: t } = words.dashboard;
  const asked = Math.trunc(Number(request.query.get("page")));
  const shown = await accounts.users.page(Math.max(1, asked || 1));
  const add = formOf(request, addUsers);
  return dashboardPage({
    request,
    title: words.dashboard.sections.server,
    children: (
      <>
        <Titled title={t.users}>
          <ul class="rows people">
            {shown.users.map((user) => (
              <UserRow request={request} user={user} page={shown.number} />
            ))}
          </ul>
          {shown.pages > 1 && <PageLinks request={request} shown={shown} />}
          <Fold label={t.add} isOpen={add.refused !== undefined}>
            <p safe>{t.addText}</p>
            <ActionForm form={add}>
              <TextInput form={add} name="names" label={t.name} hint={t.nameHint} />
              <Submit label={t.add} />
            </ActionForm>
          </Fold>
        </Titled>
        <Backup request={request} settings={settings} />
        <About request={request} />
        <FromOutside request={request} settings={settings} />
        <SettingsInForce request={request} settings={settings} />
      </>
    ),
  });
}

interface UserRowProps {
  readonly request: DashboardRequest;
  readonly user: User;
  /** The page of users that it is on. */
  readonly page: number;
}

/** A user, and what the owner can do. */
function UserRow({ request, user, page }: UserRowProps): JSX.Element {
  const { server: t } = request.words.dashboard;
  const isSelf = user.id === request.user.id;
  const about = [user.role === "owner" ? t.owner : t.member, ...(isSelf ? [t.you] : [])];
  // The browser comes back to this page of users.
  const at = page === 1 ? "" : `page=${page}`;
  return (
    <li class="beside">
      <div>
        <h3 id={`user-${user.id}`} safe>
          {user.name}
        </h3>
        <p class="facts" safe>
          {about.join(" · ")}
        </p>
      </div>
      <div class="row-actions" role="group" aria-labelledby={`user-${user.id}`}>
        <ActionButton
          form={formOf(request, makeSignInLink, { user: user.name })}
          at={at}
          label={t.makeLink}
        />
        {!isSelf && (
          <ConfirmedAction
            form={formOf(request, removeUser, { user: user.name, id: user.id })}
            at={at}
            label={t.remove}
            consequence={fill(t.removeText, { user: user.name })}
            go={fill(t.removeUser, { user: user.name })}
          />
        )}
      </div>
    </li>
  );
}

interface PageLinksProps {
  readonly request: DashboardRequest;
  readonly shown: UserPage;
}

/** Hyperlinks to the pages of users. */
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
    <Titled title={t.runs}>
      <p safe>{VERSION_LINE}</p>
      <p class="breakable" safe>
        {request.baseUrl}
      </p>
      <ConfirmedAction
        form={formOf(request, STOP)}
        label={t.stop}
        consequence={t.stopText}
        go={t.stopNow}
      />
    </Titled>
  );
}

function Backup({ request, settings: { config, origins } }: PartProps): JSX.Element {
  const { server: t } = request.words.dashboard;
  const key =
    config.secretKey === null
      ? resolve(secretKeyPath(config.data))
      : fill(t.keyFrom, { origin: origins.secretKey });
  return (
    <Titled title={t.backup}>
      <p safe>{t.backupText}</p>
      <p class="breakable" safe>
        {fill(t.backupKey, { key })}
      </p>
      <p class="actions">
        <LinkButton
          label={t.download}
          href={dashboardAddress(request.basePath, request.language, "/server/backup")}
          download=""
        />
      </p>
    </Titled>
  );
}

/** What the base URL says about who can reach this server. Nobody is called to find out. */
function FromOutside({ request, settings: { config } }: PartProps): JSX.Element {
  const { basePath, baseUrl, language, words, untrustedProxy } = request;
  const { reach: t } = words;
  const reach = reachOf(baseUrl);
  const namesNoProxy = reach === "public" && config.trustedProxies.length === 0;
  return (
    <Titled title={t.title}>
      <Status
        tone={reach === "public" ? "good" : "warn"}
        text={fill(t[reach], { host: new URL(baseUrl).host })}
      />
      {untrustedProxy !== undefined ? (
        <Status tone="warn" text={fill(t.untrustedProxy, { address: untrustedProxy })} />
      ) : (
        namesNoProxy && <Status tone="warn" text={t.noProxy} />
      )}
      <p class="actions">
        <LinkButton label={t.how} href={pageAddress(basePath, language, "docs/reach")} />
      </p>
    </Titled>
  );
}

/** The settings that somebody has chosen; the others on demand. */
function SettingsInForce({ request, settings }: PartProps): JSX.Element {
  const { server: t } = request.words.dashboard;
  const all = describeSettings(settings);
  const chosen = all.filter(({ origin }) => isChosen(origin));
  return (
    <Titled title={t.settings}>
      <p safe>{chosen.length === 0 ? t.allStandard : t.settingsText}</p>
      {chosen.length > 0 && <SettingRows request={request} rows={chosen} />}
      <details>
        <summary safe>{t.showAll}</summary>
        <SettingRows request={request} rows={all.filter(({ origin }) => !isChosen(origin))} />
      </details>
    </Titled>
  );
}

interface SettingRowsProps {
  readonly request: DashboardRequest;
  readonly rows: readonly ShownSetting[];
}

function SettingRows({ request, rows }: SettingRowsProps): JSX.Element {
  const { server: t } = request.words.dashboard;
  return (
    <dl class="settings">
      {rows.map(({ setting, value, origin }) => (
        <div class={isChosen(origin) ? "chosen" : undefined}>
          <dt safe>{setting}</dt>
          <dd class="value" safe>
            {value === MASKED ? t.masked : textOf(value)}
          </dd>
          <dd class="origin" safe>
            {isChosen(origin) ? origin : t.standard}
          </dd>
        </div>
      ))}
    </dl>
  );
}
