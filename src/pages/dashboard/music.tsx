import type { Accounts } from "../../accounts/accounts.ts";
import type { Clock } from "../../clock.ts";
import type { Config } from "../../config.ts";
import { fill, formatDay } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import type { Sources } from "../../sources/index.ts";
import {
  type AnySource,
  isLinked,
  type Linking,
  SourceSettingsError,
} from "../../sources/source.ts";
import { AppSteps, type EnteredApp, readApp } from "../oauth/app-form.tsx";
import { fieldOf } from "../../http/form-field.ts";
import { Copyable } from "../parts.tsx";
import { Confirm, Field, Form } from "./form.tsx";
import { dashboardPage } from "./frame.tsx";
import { describeHealth } from "./status-words.ts";
import { type ConnectedMusic, musicOf } from "../../sources/connected-music.ts";
import { type Notice, pathTo, type Section, type Visit } from "./request.ts";

export interface MusicDeps {
  readonly accounts: Pick<Accounts, "connections" | "upstreams">;
  readonly sources: Sources;
  readonly clock: Clock;
  readonly config: Pick<Config, "playerHosts">;
  /** A user hears something else from now on. */
  onConnected(): Promise<void>;
}

/** What was typed into a source's form and cannot be used. */
interface Refused {
  readonly sourceId: string;
  readonly typed: Readonly<Record<string, string>>;
  readonly mistake: string;
}

/** Where the user's music is heard: connecting, linking again, disconnecting. */
export function createMusic(deps: MusicDeps): Section {
  const { accounts, sources } = deps;

  const page = async (visit: Visit, refused?: Refused, entered?: EnteredApp): Promise<Response> => {
    const { words, user, query } = visit;
    const { music: said } = words.dashboard;
    const music = await musicOf(user.id, accounts, sources);
    const others = sources.all.filter(({ id }) => id !== music?.source.id);
    const linked = sources.byId(query.get("linked") ?? "");
    const notice: Notice | undefined =
      linked && music?.source === linked
        ? { tone: "good", text: fill(said.connected, { source: linked.name }) }
        : undefined;
    const cards = await Promise.all(
      others.map((source) => sourceCard(visit, source, refused, entered)),
    );
    return dashboardPage(
      {
        visit,
        title: words.dashboard.sections.music,
        lead: said.lead,
        ...(notice && { notice }),
        children: (
          <>
            {music ? await connectedCard(visit, music, refused, entered) : ""}
            <h2 class="between" safe>
              {music ? said.others : said.choose}
            </h2>
            {cards as "safe"[]}
            {music ? (
              <p class="hint" safe>
                {said.replaces}
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
    visit: Visit,
    music: ConnectedMusic,
    refused?: Refused,
    entered?: EnteredApp,
  ) => {
    const { words, language } = visit;
    const { music: said } = words.dashboard;
    const { source, account, stored, health } = music;
    const { tone, text } = describeHealth(health, source.name, language, deps.clock.wallMs());
    // Its form is then the way to connect again, even where it has no fields.
    const enterAgain = !stored.usable && !isLinked(source);
    return (
      <section class="source connected">
        <h2 safe>{source.name}</h2>
        {account.displayName === null || account.displayName === source.name ? (
          ""
        ) : (
          <p safe>{fill(said.account, { account: account.displayName })}</p>
        )}
        <p class={`status ${tone}`} safe>
          {text}
        </p>
        {health.linkedUntil === null ? (
          ""
        ) : (
          <p safe>{fill(said.linkedUntil, { day: formatDay(language, health.linkedUntil) })}</p>
        )}
        {source.options.length > 0 || enterAgain ? (
          <details open={refused?.sourceId === source.id || enterAgain}>
            <summary safe>{said.change}</summary>
            {optionsForm(visit, source, stored.usable ? stored.settings : undefined, refused)}
          </details>
        ) : (
          ""
        )}
        {isLinked(source) ? await linkControls(visit, source, said.linkAgain, entered) : ""}
        <Confirm
          label={said.disconnect}
          consequence={fill(said.disconnectText, { source: source.name })}
        >
          <Form visit={visit} does="disconnect">
            <button type="submit" class="bad" safe>
              {said.disconnect}
            </button>
          </Form>
        </Confirm>
      </section>
    );
  };

  const sourceCard = async (
    visit: Visit,
    source: AnySource,
    refused?: Refused,
    entered?: EnteredApp,
  ) => {
    const { music: said } = visit.words.dashboard;
    const about = said.about[source.id as keyof typeof said.about];
    return (
      <section class="source">
        <h3 safe>{source.name}</h3>
        {about === undefined ? "" : <p safe>{about}</p>}
        {isLinked(source)
          ? await linkControls(visit, source, fill(said.link, { source: source.name }), entered)
          : optionsForm(visit, source, undefined, refused)}
      </section>
    );
  };

  /** A form made from the source's own options. */
  const optionsForm = (
    visit: Visit,
    source: AnySource,
    settings: unknown,
    refused?: Refused,
  ): JSX.Element => {
    const { music: said } = visit.words.dashboard;
    const again = refused?.sourceId === source.id ? refused : undefined;
    return (
      <Form visit={visit} does="connect" target={source.id}>
        <>
          {source.options.map((option, index) => (
            <Field
              id={`${source.id}-${option.name}`}
              label={optionLabel(visit, source.id, option.name)}
              type={option.secret ? "password" : "text"}
              placeholder={option.secret ? undefined : option.placeholder}
              value={
                option.secret
                  ? undefined
                  : (again?.typed[option.name] ?? currentValue(settings, option) ?? option.fallback)
              }
              hint={
                option.secret && currentValue(settings, option) !== undefined
                  ? said.secretKept
                  : undefined
              }
              mistake={index === 0 ? again?.mistake : undefined}
            />
          ))}
          <button type="submit" safe>
            {fill(said.connect, { source: source.name })}
          </button>
        </>
      </Form>
    );
  };

  const linkControls = async (
    visit: Visit,
    source: AnySource & { linking: Linking<unknown> },
    label: string,
    entered?: EnteredApp,
  ) => {
    const { user, baseUrl, words } = visit;
    const { linking } = source;
    const redirectUri = baseUrl + linking.callbackPath;
    const mayEnterApp = user.role === "owner" && !linking.appIsFixed;
    const hasApp = (await linking.app()) !== undefined;
    const fields = (
      <>
        <input type="hidden" name="token" value={visit.formToken} />
        <input type="hidden" name="does" value="app" />
        <input type="hidden" name="target" value={source.id} />
      </>
    );
    const props = {
      language: visit.language,
      sourceName: source.name,
      path: pathTo(visit, "music"),
      redirectUri,
      linking,
      fields,
      ...(entered && { entered }),
    };
    return (
      <>
        {linking.acceptsRedirect(redirectUri) ? (
          ""
        ) : (
          <p class="mistake" safe>
            {fill(words.connect.redirectRefused, { source: source.name })}
          </p>
        )}
        {hasApp ? (
          <p class="actions">
            <a class="button" href={`${pathTo(visit, "music")}/link/${source.id}`} safe>
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
            <Copyable language={visit.language} text={redirectUri} />
            {mayEnterApp ? <AppSteps {...props} /> : ""}
          </details>
        ) : (
          ""
        )}
      </>
    );
  };

  /**
   * The settings given, with the stored secrets where none were typed: they are never shown, so a
   * form cannot send them back. Another server, be it on the same host, does not get to see them.
   */
  const withKeptSecrets = async (
    user: Visit["user"],
    source: AnySource,
    given: Readonly<Record<string, string>>,
  ): Promise<unknown> => {
    const settings = source.parseSettings(given);
    const before = await musicOf(user.id, accounts, sources);
    if (before?.source !== source || !before.stored.usable) return settings;
    const kept = before.stored.settings;
    const known = source.addressOf?.(kept);
    const asked = source.addressOf?.(settings);
    if (known?.host !== asked?.host || known?.port !== asked?.port) return settings;
    const secrets = source.options
      .filter(({ secret }) => secret)
      .map((option) => [option.name, currentValue(kept, option)] as const)
      .filter(([, value]) => value !== undefined);
    return source.parseSettings({ ...Object.fromEntries(secrets), ...given });
  };

  const connect = async (visit: Visit, form: FormData): Promise<Notice | Response> => {
    const { words, user } = visit;
    const { music: said } = words.dashboard;
    const source = sources.byId(fieldOf(form, "target"));
    if (!source || isLinked(source)) return page(visit);
    const typed = Object.fromEntries(
      source.options.map(({ name }) => [name, fieldOf(form, `${source.id}-${name}`)]),
    );
    const given = Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== ""));
    try {
      const settings = await withKeptSecrets(user, source, given);
      const host = source.addressOf?.(settings).host.toLowerCase();
      const mayChoose = user.role === "owner" || host === undefined;
      if (!mayChoose && !deps.config.playerHosts.includes(host)) {
        return await page(visit, {
          sourceId: source.id,
          typed,
          mistake: fill(said.hostRefused, { host }),
        });
      }
      await accounts.connections.connect(user, source.id, settings);
    } catch (error) {
      if (!(error instanceof SourceSettingsError)) throw error;
      return page(visit, { sourceId: source.id, typed, mistake: said.settingsRefused });
    }
    await deps.onConnected();
    return { tone: "good", text: fill(said.connected, { source: source.name }) };
  };

  return {
    show: (visit) => page(visit),
    async act(visit, form) {
      const { words, user } = visit;
      const { music: said } = words.dashboard;
      switch (fieldOf(form, "does")) {
        case "connect":
          return connect(visit, form);
        case "disconnect":
          await accounts.connections.disconnect(user);
          await deps.onConnected();
          return { tone: "good", text: said.disconnected };
        case "app": {
          const source = sources.byId(fieldOf(form, "target"));
          const { app, ...typed } = readApp(form);
          const allowed = user.role === "owner" && source?.linking?.appIsFixed === false;
          if (!source || !allowed) return page(visit);
          if (!app) return page(visit, undefined, typed);
          await accounts.upstreams.enterApp(source.id, app);
          return { tone: "good", text: said.appSaved };
        }
        default:
          return page(visit);
      }
    },
  };
}

/** The stored value of an option, to be shown and changed. */
function currentValue(settings: unknown, { name }: { name: string }): string | undefined {
  const value =
    typeof settings === "object" && settings !== null
      ? (settings as Record<string, unknown>)[name]
      : undefined;
  return typeof value === "string" ? value : undefined;
}

/** What an option is called in the visit's language; its own name where there is no word for it. */
function optionLabel({ words }: Visit, sourceId: string, option: string): string {
  const labels: Readonly<Record<string, string>> = words.dashboard.music.options;
  return labels[`${sourceId}_${option}`] ?? option;
}
