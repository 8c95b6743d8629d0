import type { Accounts } from "../../accounts/accounts.ts";
import type { Clock } from "../../clock.ts";
import type { ResolvedConfig } from "../../config.ts";
import { fill, formatDay } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import type { Sources } from "../../sources/index.ts";
import {
  type Source,
  isLinked,
  type LinkedSource,
  type OpenSource,
  SourceSettingsError,
} from "../../sources/source.ts";
import { AppSteps, type EnteredApp, readApp } from "../oauth/app-form.tsx";
import { fieldOf } from "../../http/form-field.ts";
import { Copyable } from "../parts.tsx";
import { Confirm, Field, Form } from "./form.tsx";
import { dashboardPage } from "./frame.tsx";
import { describeStatus } from "./status-words.ts";
import { type ConnectedMusic, musicOf } from "../../sources/connected-music.ts";
import type { DashboardRequest, Notice, Section } from "./request.ts";
import { pathTo } from "./sections.ts";

export interface MusicDeps {
  readonly accounts: Pick<Accounts, "connections" | "upstreams">;
  readonly sources: Sources;
  readonly clock: Clock;
  readonly settings: ResolvedConfig;
}

/** The values typed into a source's form that are not valid. */
interface Refused {
  readonly sourceId: string;
  readonly typed: Readonly<Record<string, string>>;
  readonly mistake: string;
}

/** The page of the user's connection: connecting, linking again, disconnecting. */
export function createSection(deps: MusicDeps): Section {
  const { accounts, sources } = deps;

  const page = async (
    request: DashboardRequest,
    refused?: Refused,
    entered?: EnteredApp,
  ): Promise<Response> => {
    const { words, user, query } = request;
    const { music: t } = words.dashboard;
    const music = await musicOf(user.id, accounts, sources);
    const others = sources.all.filter(
      (source) => source.id !== music?.source.id && mayConnect(user, source),
    );
    const linked = sources.byId(query.get("linked") ?? "");
    const notice: Notice | undefined =
      linked && music?.source === linked
        ? { tone: "good", text: fill(t.connected, { source: linked.name }) }
        : undefined;
    const cards = await Promise.all(
      others.map((source) => sourceCard(request, source, refused, entered)),
    );
    return dashboardPage(
      {
        request,
        title: words.dashboard.sections.music,
        lead: t.lead,
        ...(notice && { notice }),
        children: (
          <>
            {music ? await connectedCard(request, music, refused, entered) : ""}
            <h2 class="between" safe>
              {music ? t.others : t.choose}
            </h2>
            {cards as "safe"[]}
            {music ? (
              <p class="hint" safe>
                {t.replaces}
              </p>
            ) : (
              ""
            )}
          </>
        ),
      },
      refused || entered ? 422 : 200,
    );
  };

  const connectedCard = async (
    request: DashboardRequest,
    music: ConnectedMusic,
    refused?: Refused,
    entered?: EnteredApp,
  ) => {
    const { words, language } = request;
    const { music: t } = words.dashboard;
    const { source, account, stored, status } = music;
    const { tone, text } = describeStatus(status, source.name, language, deps.clock.wallMs());
    // Then the form is shown to connect again, even if it has no fields.
    const enterAgain = !stored.usable && !isLinked(source);
    return (
      <section class="source connected">
        <h2 safe>{source.name}</h2>
        {account.displayName === null || account.displayName === source.name ? (
          ""
        ) : (
          <p safe>{fill(t.account, { account: account.displayName })}</p>
        )}
        <p class={`status ${tone}`} safe>
          {text}
        </p>
        {status.linkedUntil === null ? (
          ""
        ) : (
          <p safe>{fill(t.linkedUntil, { day: formatDay(language, status.linkedUntil) })}</p>
        )}
        {source.options.length > 0 || enterAgain ? (
          <details open={refused?.sourceId === source.id || enterAgain}>
            <summary safe>{t.change}</summary>
            {optionsForm(
              request,
              source,
              stored.usable ? stored.open.settings : undefined,
              refused,
            )}
          </details>
        ) : (
          ""
        )}
        {isLinked(source) ? await linkControls(request, source, t.linkAgain, entered) : ""}
        <Confirm label={t.disconnect} consequence={fill(t.disconnectText, { source: source.name })}>
          <Form request={request} action="disconnect">
            <button type="submit" class="bad" safe>
              {t.disconnect}
            </button>
          </Form>
        </Confirm>
      </section>
    );
  };

  const sourceCard = async (
    request: DashboardRequest,
    source: Source,
    refused?: Refused,
    entered?: EnteredApp,
  ) => {
    const { music: t } = request.words.dashboard;
    const about = t.about[source.id as keyof typeof t.about];
    return (
      <section class="source">
        <h3 safe>{source.name}</h3>
        {about === undefined ? "" : <p safe>{about}</p>}
        {isLinked(source)
          ? await linkControls(request, source, fill(t.link, { source: source.name }), entered)
          : optionsForm(request, source, undefined, refused)}
      </section>
    );
  };

  /** A form made from the source's own options. */
  const optionsForm = (
    request: DashboardRequest,
    source: Source,
    settings: unknown,
    refused?: Refused,
  ): JSX.Element => {
    const { music: t } = request.words.dashboard;
    const again = refused?.sourceId === source.id ? refused : undefined;
    return (
      <Form request={request} action="connect" target={source.id}>
        <>
          {source.options.map((option, index) => (
            <Field
              id={`${source.id}-${option.name}`}
              label={optionLabel(request, source.id, option.name)}
              type={option.secret ? "password" : "text"}
              placeholder={option.secret ? undefined : option.placeholder}
              value={
                option.secret
                  ? undefined
                  : (again?.typed[option.name] ?? currentValue(settings, option) ?? option.fallback)
              }
              hint={
                option.secret && currentValue(settings, option) !== undefined
                  ? t.secretKept
                  : undefined
              }
              mistake={index === 0 ? again?.mistake : undefined}
            />
          ))}
          <button type="submit" safe>
            {fill(t.connect, { source: source.name })}
          </button>
        </>
      </Form>
    );
  };

  const linkControls = async (
    request: DashboardRequest,
    source: LinkedSource,
    label: string,
    entered?: EnteredApp,
  ) => {
    const { user, baseUrl, words } = request;
    const { oauth } = source;
    const redirectUri = baseUrl + oauth.callbackPath;
    const mayEnterApp = user.role === "owner" && !oauth.appIsFixed;
    const hasApp = (await oauth.app()) !== undefined;
    const fields = (
      <>
        <input type="hidden" name="token" value={request.formToken} />
        <input type="hidden" name="do" value="app" />
        <input type="hidden" name="target" value={source.id} />
      </>
    );
    const props = {
      language: request.language,
      sourceName: source.name,
      path: pathTo(request, "music"),
      redirectUri,
      oauth,
      fields,
      ...(entered && { entered }),
    };
    return (
      <>
        {oauth.acceptsRedirect(redirectUri) ? (
          ""
        ) : (
          <p class="mistake" safe>
            {fill(words.connect.redirectRefused, { source: source.name })}
          </p>
        )}
        {hasApp ? (
          <p class="actions">
            <a class="button" href={`${pathTo(request, "music")}/link/${source.id}`} safe>
              {label}
            </a>
          </p>
        ) : mayEnterApp ? (
          <AppSteps {...props} />
        ) : (
          <p safe>{fill(words.connect.ownerFirst, { source: source.name })}</p>
        )}
        {hasApp ? (
          <details open={entered !== undefined}>
            <summary safe>{words.connect.redirectUri}</summary>
            <Copyable language={request.language} text={redirectUri} />
            {mayEnterApp ? <AppSteps {...props} /> : ""}
          </details>
        ) : (
          ""
        )}
      </>
    );
  };

  /**
   * Opens the source with the given settings, and with the stored secrets where none were typed.
   * Secrets are never shown, so a form cannot send them back. They are not sent to another server,
   * even on the same host.
   */
  const withKeptSecrets = async (
    user: DashboardRequest["user"],
    source: Source,
    given: Readonly<Record<string, string>>,
  ): Promise<OpenSource> => {
    const asked = source.open(given);
    const before = await musicOf(user.id, accounts, sources);
    if (before?.source !== source || !before.stored.usable) return asked;
    const known = before.stored.open;
    const isSameServer =
      known.address?.host === asked.address?.host && known.address?.port === asked.address?.port;
    if (!isSameServer) return asked;
    const secrets = source.options
      .filter(({ secret }) => secret)
      .map((option) => [option.name, currentValue(known.settings, option)] as const)
      .filter(([, value]) => value !== undefined);
    return source.open({ ...Object.fromEntries(secrets), ...given });
  };

  const connect = async (request: DashboardRequest, form: FormData): Promise<Notice | Response> => {
    const { words, user } = request;
    const { music: t } = words.dashboard;
    const source = sources.byId(fieldOf(form, "target"));
    if (!source || isLinked(source) || !mayConnect(user, source)) return page(request);
    const typed = Object.fromEntries(
      source.options.map(({ name }) => [name, fieldOf(form, `${source.id}-${name}`)]),
    );
    const given = Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== ""));
    try {
      const { settings, address } = await withKeptSecrets(user, source, given);
      const host = address?.host.toLowerCase();
      const mayChoose = user.role === "owner" || host === undefined;
      if (!mayChoose && !deps.settings.config.playerHosts.includes(host)) {
        return await page(request, {
          sourceId: source.id,
          typed,
          mistake: fill(t.hostRefused, { host }),
        });
      }
      await accounts.connections.connect(user, source.id, settings);
    } catch (error) {
      if (!(error instanceof SourceSettingsError)) throw error;
      return page(request, { sourceId: source.id, typed, mistake: t.settingsRefused });
    }
    return { tone: "good", text: fill(t.connected, { source: source.name }) };
  };

  return {
    show: (request) => page(request),
    async act(request, form) {
      const { words, user } = request;
      const { music: t } = words.dashboard;
      switch (fieldOf(form, "do")) {
        case "connect":
          return connect(request, form);
        case "disconnect":
          await accounts.connections.disconnect(user);
          return { tone: "good", text: t.disconnected };
        case "app": {
          const source = sources.byId(fieldOf(form, "target"));
          const { app, ...typed } = readApp(form);
          const allowed = user.role === "owner" && source?.oauth?.appIsFixed === false;
          if (!source || !allowed) return page(request);
          if (!app) return page(request, undefined, typed);
          await accounts.upstreams.enterApp(source.id, app);
          return { tone: "good", text: t.appSaved };
        }
        default:
          return page(request);
      }
    },
  };
}

/** A source of this machine itself is for its owner alone. */
const mayConnect = ({ role }: DashboardRequest["user"], { ownerOnly }: Source): boolean =>
  role === "owner" || !ownerOnly;

/** The stored value of an option. */
function currentValue(settings: unknown, { name }: { name: string }): string | undefined {
  const value =
    typeof settings === "object" && settings !== null
      ? (settings as Record<string, unknown>)[name]
      : undefined;
  return typeof value === "string" ? value : undefined;
}

/** An option's label in the request's language; the option's own name if it has no label. */
function optionLabel({ words }: DashboardRequest, sourceId: string, option: string): string {
  const labels: Readonly<Record<string, string>> = words.dashboard.music.options;
  return labels[`${sourceId}_${option}`] ?? option;
}
