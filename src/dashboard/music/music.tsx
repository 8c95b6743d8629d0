import type { Accounts } from "../../accounts/accounts.ts";
import {
  MOST_CONNECTIONS,
  parseConnectionId,
  type PublicConnectionId,
  TooManyConnectionsError,
} from "../../music/connections.ts";
import { AccountError } from "../../accounts/context.ts";
import { LONGEST_KEY_NAME, readKeyName } from "../../accounts/key-name.ts";
import type { HeardOfConnection } from "../../channels/channel.ts";
import type { Hub } from "../../channels/hub.ts";
import type { Clock } from "../../clock.ts";
import type { ResolvedConfig } from "../../config.ts";
import { fill, formatDay } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import type { Inbox } from "../../ingest/inbox.ts";
import type { Sources } from "../../sources/index.ts";
import {
  type Source,
  isLinked,
  isPushed,
  type LinkedSource,
  type OpenSource,
  SourceSettingsError,
} from "../../sources/source.ts";
import { AppSteps, type EnteredApp, readApp } from "../../linking/app-form.tsx";
import { dashboardAddress } from "../../addresses.ts";
import { fieldOf } from "../../http/form-field.ts";
import { attribute } from "../../html/attribute.ts";
import { htmlResponse } from "../../html/html.tsx";
import { musicScript } from "../../html/assets.ts";
import { Copyable } from "../../html/parts.tsx";
import { ConfirmedAction, Field, Fold, Form } from "../form.tsx";
import { dashboardPage } from "../frame.tsx";
import { FoundList, FoundSection, LOOK } from "./music-found.tsx";
import { type Offer, Offers } from "./music-offers.tsx";
import { LivePart } from "./music-live.tsx";
import { Grip, Moves } from "./music-order.tsx";
import { inboxPart, ReplaceSecret } from "./music-inbox.tsx";
import { type ConnectedMusic, labelOf, musicOf } from "../../sources/connected-music.ts";
import type { DashboardRequest, Notice, Section } from "../request.ts";
import { pathTo } from "../../html/section-paths.ts";

export interface MusicDeps {
  readonly accounts: Pick<Accounts, "connections" | "upstreams">;
  readonly sources: Sources;
  readonly hub: Pick<Hub, "read" | "heardOf">;
  /** What other programs have pushed. */
  readonly inbox: Pick<Inbox, "postOf">;
  readonly clock: Clock;
  readonly settings: ResolvedConfig;
}

/** The longest time that the page waits for the first reading of a channel. */
const FIRST_WORD_MS = 80;

/** The values typed into a source's form that are not valid. */
interface Refused {
  readonly formId: string;
  readonly typed: Readonly<Record<string, string>>;
  readonly mistake: string;
  /** Whether the mistake is in the connection's name. */
  readonly isName?: true;
}

/**
 * The form of a source's connection. The fields' names begin with its id: a page has several forms
 * of one source when a user has several connections to it.
 */
interface OptionsForm {
  readonly id: string;
  readonly source: Source;
  /** The connection that the form changes; without it, the form adds one. */
  readonly changes?: ConnectedMusic;
  /** Adds one with a name: the user has one without a name. */
  readonly isAnother?: true;
  /** The options of the player that was found on this machine. */
  readonly found?: Readonly<Record<string, string>>;
}

/** What a connection's card has to know besides the connection. */
interface CardParts {
  /** Whether it is the first of its source. */
  readonly isFirst: boolean;
  /** The user's connections. */
  readonly all: readonly ConnectedMusic[];
  readonly heard: readonly HeardOfConnection[];
}

const isNamed = ({ connection }: ConnectedMusic): boolean => connection.name !== "";

const formOf = (source: Source, changes?: ConnectedMusic): OptionsForm => {
  if (!changes) return { id: source.id, source };
  const { publicId } = changes.connection;
  return { id: isNamed(changes) ? `${source.id}-${publicId}` : source.id, source, changes };
};

/** The form that adds another connection to a source, with a name. */
const formOfAnother = (source: Source): OptionsForm => ({
  id: `${source.id}-new`,
  source,
  isAnother: true,
});

/** The page of the user's connections: connecting, linking again, disconnecting. */
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
      (source) =>
        mayConnect(user, source) &&
        // A second demo would play the same.
        !(source.id === "demo" && music.some((one) => one.source === source)),
    );
    if (music.length > 1) await deps.hub.read(user.id, FIRST_WORD_MS);
    const heard = deps.hub.heardOf(user.id);
    const connected = await Promise.all(
      music.map((one) => {
        // A source's app is entered once for all its connections.
        const isFirst = music.find(({ source }) => source === one.source) === one;
        return connectedCard(request, one, { heard, all: music, isFirst }, refused, entered);
      }),
    );
    const isOwner = user.role === "owner";
    const look = isOwner ? query.get(LOOK.name) : null;
    const foundList =
      look === null ? undefined : (
        <FoundList request={request} found={await sources.playersHere()} music={music} />
      );
    if (foundList !== undefined && look === LOOK.listOnly) return htmlResponse(foundList);
    const chosen = sources.byId(query.get("choose") ?? "");
    // The address of what was found on this machine is filled in.
    const found =
      isOwner && chosen?.findHere
        ? (await sources.playersHere()).find(({ source }) => source === chosen)
        : undefined;
    const withSettings = (form: OptionsForm): OptionsForm =>
      found?.source === form.source ? { ...form, found: found.settings } : form;
    const offers = await Promise.all(
      others.map(async (source): Promise<Offer> => {
        const same = music.filter((one) => one.source === source);
        const isTaken = same.some((one) => !isNamed(one));
        const form = isTaken ? formOfAnother(source) : formOf(source);
        const hasMistake =
          refused?.formId === form.id ||
          (entered !== undefined && isLinked(source) && same.length === 0);
        return {
          source,
          isConnected: same.length > 0,
          isOpen: hasMistake || (!refused && !entered && source === chosen),
          form: isTaken
            ? anotherForm(request, withSettings(form), refused)
            : await firstForm(request, withSettings(form), same.length === 0, refused, entered),
        };
      }),
    );
    return dashboardPage(
      {
        request,
        title: words.dashboard.sections.music,
        lead: t.lead,
        scripts: [musicScript.path],
        children: (
          <>
            <div data-live={dashboardAddress(request.basePath, request.language, "/live")}>
              {connected as "safe"[]}
            </div>
            {isOwner ? <FoundSection request={request} list={foundList} /> : ""}
            <h2 class="between" safe>
              {music.length > 0 ? t.others : t.choose}
            </h2>
            <Offers request={request} offers={offers} />
            <p class="hint" safe>
              {fill(t.several, { most: String(MOST_CONNECTIONS) })}
            </p>
          </>
        ),
      },
      refused || entered ? 422 : 200,
    );
  };

  const connectedCard = async (
    request: DashboardRequest,
    music: ConnectedMusic,
    { isFirst, all, heard }: CardParts,
    refused?: Refused,
    entered?: EnteredApp,
  ) => {
    const { words, language } = request;
    const { music: t } = words.dashboard;
    const { connection, source, account, stored, status, position } = music;
    const label = labelOf(music);
    const id = String(connection.publicId);
    const form = formOf(source, music);
    // Then the form is shown to connect again, even if it has no fields.
    const enterAgain = !stored.usable && !isLinked(source) && sources.byId(source.id) !== undefined;
    const hearsPushes = isPushed(source) && stored.usable;
    return (
      <section class="source connected">
        <div class="card-head">
          {all.length > 1 ? <Grip title={t.drag} /> : ""}
          <h2 safe>{label}</h2>
          {all.length > 1 ? (
            <Moves
              request={request}
              target={id}
              label={label}
              position={position}
              count={all.length}
            />
          ) : (
            ""
          )}
        </div>
        {account.displayName === null || account.displayName === source.name ? (
          ""
        ) : (
          <p safe>{fill(t.account, { account: account.displayName })}</p>
        )}
        <div data-connection={id}>
          <LivePart deps={deps} reader={request} music={music} all={all} heard={heard} />
        </div>
        {status.linkedUntil === null ? (
          ""
        ) : (
          <p safe>{fill(t.linkedUntil, { day: formatDay(language, status.linkedUntil) })}</p>
        )}
        {isLinked(source)
          ? await linkControls(request, source, t.linkAgain, isFirst, entered, music)
          : ""}
        {hearsPushes ? await inboxPart(deps, request, music, source) : ""}
        <div class="row-actions">
          {source.options.length > 0 || enterAgain ? (
            <Fold label={t.change} isOpen={refused?.formId === form.id || enterAgain}>
              {optionsForm(request, form, refused)}
            </Fold>
          ) : (
            ""
          )}
          {hearsPushes ? <ReplaceSecret request={request} connection={connection} /> : ""}
          {renameForm(request, music, refused)}
          <ConfirmedAction
            request={request}
            action="disconnect"
            target={id}
            label={t.disconnect}
            consequence={fill(t.disconnectText, { source: label })}
          />
        </div>
      </section>
    );
  };

  const firstForm = async (
    request: DashboardRequest,
    form: OptionsForm,
    isFirst: boolean,
    refused?: Refused,
    entered?: EnteredApp,
  ) => {
    const { source } = form;
    const label = fill(request.words.dashboard.music.link, { source: source.name });
    return isLinked(source)
      ? linkControls(request, source, label, isFirst, entered)
      : optionsForm(request, form, refused);
  };

  /** One more connection to a source that has one without a name. */
  const anotherForm = (request: DashboardRequest, form: OptionsForm, refused?: Refused) => {
    const { music: t } = request.words.dashboard;
    return isLinked(form.source) ? <p safe>{t.nameFirst}</p> : optionsForm(request, form, refused);
  };

  const renameForm = (request: DashboardRequest, music: ConnectedMusic, refused?: Refused) => {
    const { music: t } = request.words.dashboard;
    const { publicId, name } = music.connection;
    const id = `name-${publicId}`;
    const again = refused?.formId === id ? refused : undefined;
    return (
      <Fold label={t.rename} isOpen={again !== undefined}>
        <Form request={request} action="rename" target={String(publicId)}>
          <>
            <Field
              id={id}
              label={t.name}
              hint={t.nameHint}
              value={again?.typed["name"] ?? name}
              mistake={again?.mistake}
            />
            <button type="submit" safe>
              {t.renameGo}
            </button>
          </>
        </Form>
      </Fold>
    );
  };

  /** A form made from the source's own options. */
  const optionsForm = (
    request: DashboardRequest,
    { id, source, changes, isAnother, found }: OptionsForm,
    refused?: Refused,
  ): JSX.Element => {
    const { music: t } = request.words.dashboard;
    const again = refused?.formId === id ? refused : undefined;
    const settings = changes?.stored.usable ? changes.stored.open.settings : undefined;
    return (
      <Form request={request} action="connect" target={source.id}>
        <>
          {changes && isNamed(changes) ? (
            <input
              type="hidden"
              name="connection"
              value={attribute(String(changes.connection.publicId))}
            />
          ) : (
            ""
          )}
          {isAnother ? (
            <>
              <input type="hidden" name="another" value="1" />
              <Field
                id={`${id}-name`}
                label={t.name}
                hint={t.nameHint}
                value={again?.typed["name"]}
                mistake={again?.isName && again.mistake}
                required
              />
            </>
          ) : (
            ""
          )}
          {source.options.map((option, index) => (
            <Field
              id={`${id}-${option.name}`}
              label={optionLabel(request, source.id, option.name)}
              type={option.secret ? "password" : "text"}
              placeholder={option.secret ? undefined : option.placeholder}
              value={
                option.secret
                  ? undefined
                  : (again?.typed[option.name] ??
                    currentValue(settings, option) ??
                    found?.[option.name] ??
                    option.fallback)
              }
              hint={
                option.secret && currentValue(settings, option) !== undefined
                  ? t.secretKept
                  : undefined
              }
              mistake={index === 0 && !again?.isName ? again?.mistake : undefined}
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
    isFirst: boolean,
    entered?: EnteredApp,
    changes?: ConnectedMusic,
  ) => {
    const { user, baseUrl, words } = request;
    const { oauth } = source;
    const redirectUri = baseUrl + oauth.callbackPath;
    const mayEnterApp = user.role === "owner" && !oauth.appIsFixed;
    const hasApp = (await oauth.app()) !== undefined;
    const again = changes && isNamed(changes) ? `?connection=${changes.connection.publicId}` : "";
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
            <a class="button" href={`${pathTo(request, "music")}/link/${source.id}${again}`} safe>
              {label}
            </a>
          </p>
        ) : mayEnterApp && isFirst ? (
          <AppSteps {...props} />
        ) : (
          <p safe>{fill(words.connect.ownerFirst, { source: source.name })}</p>
        )}
        {hasApp ? (
          <details open={entered !== undefined}>
            <summary safe>{words.connect.redirectUri}</summary>
            <Copyable language={request.language} text={redirectUri} />
            {mayEnterApp && isFirst ? <AppSteps {...props} /> : ""}
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
   * even on the same host, nor in another way.
   */
  const withKeptSecrets = (
    { source, changes: before }: OptionsForm,
    given: Readonly<Record<string, string>>,
  ): OpenSource => {
    if (!before?.stored.usable) return source.open(given);
    const known = before.stored.open;
    const secrets = source.options
      .filter(({ secret }) => secret)
      .map((option) => [option.name, currentValue(known.settings, option)] as const)
      .filter(([, value]) => value !== undefined);
    // Some sources cannot be opened without a secret.
    const asked = source.open({ ...Object.fromEntries(secrets), ...given });
    return Bun.deepEquals(asked.address, known.address) ? asked : source.open(given);
  };

  const connect = async (request: DashboardRequest, form: FormData): Promise<Notice | Response> => {
    const { words, user } = request;
    const { music: t } = words.dashboard;
    const source = sources.byId(fieldOf(form, "target"));
    if (!source || isLinked(source) || !mayConnect(user, source)) return page(request);
    const changedId = parseConnectionId(fieldOf(form, "connection"));
    const music = await musicOf(user.id, accounts, sources);
    const filled =
      fieldOf(form, "another") === ""
        ? formOf(
            source,
            music.find(
              ({ connection, ...one }) =>
                one.source === source &&
                (changedId === undefined
                  ? connection.name === ""
                  : connection.publicId === changedId),
            ),
          )
        : formOfAnother(source);
    // The connection was ended on another page since.
    if (changedId !== undefined && !filled.changes) return page(request);
    const options = Object.fromEntries(
      source.options.map(({ name }) => [name, fieldOf(form, `${filled.id}-${name}`)]),
    );
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== ""));
    const typedName = fieldOf(form, `${filled.id}-name`);
    const typed = filled.isAnother ? { ...options, name: typedName } : options;
    const { name } = filled.changes?.connection ?? { name: readKeyName(typedName) ?? "" };
    if (filled.isAnother) {
      const mistake = nameMistake(request, source, name, music);
      if (mistake !== undefined) {
        return page(request, { formId: filled.id, typed, mistake, isName: true });
      }
    }
    try {
      const { settings, address } = withKeptSecrets(filled, given);
      const host = address?.host.toLowerCase();
      const mayChoose = user.role === "owner" || host === undefined;
      if (!mayChoose && !deps.settings.config.playerHosts.includes(host)) {
        return await page(request, {
          formId: filled.id,
          typed,
          mistake: fill(t.hostRefused, { host }),
        });
      }
      await accounts.connections.connect(user, source.id, settings, { name });
    } catch (error) {
      if (error instanceof TooManyConnectionsError) {
        const { tooMany } = words.connect.failures;
        return { tone: "bad", text: fill(tooMany, { most: String(MOST_CONNECTIONS) }) };
      }
      if (!(error instanceof SourceSettingsError)) throw error;
      return page(request, { formId: filled.id, typed, mistake: t.settingsRefused });
    }
    return { tone: "good", text: fill(t.connected, { source: source.name }) };
  };

  /** Renames a connection; shows the page when that is not possible. */
  const rename = async (request: DashboardRequest, form: FormData): Promise<Notice | Response> => {
    const { music: t } = request.words.dashboard;
    const id = parseConnectionId(fieldOf(form, "target"));
    const music = await musicOf(request.user.id, accounts, sources);
    const found = music.find(({ connection }) => connection.publicId === id);
    if (!found) return page(request);
    const { source, connection } = found;
    const formId = `name-${connection.publicId}`;
    const typed = fieldOf(form, formId);
    // A connection may have no name.
    const name = typed.trim() === "" ? "" : readKeyName(typed);
    const refuse = (mistake: string) => page(request, { formId, typed: { name: typed }, mistake });
    if (name === undefined) return refuse(fill(t.nameWrong, { most: String(LONGEST_KEY_NAME) }));
    const others = music.filter((one) => one !== found);
    const taken = takenMistake(request, source, name, others);
    if (taken !== undefined) return refuse(taken);
    try {
      await accounts.connections.rename(request.user, connection.publicId, name);
    } catch (error) {
      // It was ended, or the name was given to another, on another page meanwhile.
      if (!(error instanceof AccountError)) throw error;
      return page(request);
    }
    return { tone: "good", text: t.renamed };
  };

  /** Replaces the secret of a connection; `undefined` when it was ended on another page since. */
  const rotate = async (
    { user, words }: DashboardRequest,
    id: PublicConnectionId,
  ): Promise<Notice | undefined> => {
    const music = await musicOf(user.id, accounts, sources);
    const found = music.find(({ connection }) => connection.publicId === id);
    if (!found || !isPushed(found.source)) return undefined;
    await accounts.connections.rotateSecret(found.connection.id);
    const text = fill(words.dashboard.music.inbox.rotated, { source: labelOf(found) });
    return { tone: "good", text };
  };

  /**
   * Moves a connection; `undefined` when it was ended on another page since.
   * @param placeAfter its new place, from 0, by the one it has
   */
  const move = async (
    { user, words }: DashboardRequest,
    id: PublicConnectionId | undefined,
    placeAfter: (from: number) => number,
  ): Promise<Notice | undefined> => {
    const music = await musicOf(user.id, accounts, sources);
    const from = music.findIndex(({ connection }) => connection.publicId === id);
    const moved = music[from];
    if (!moved) return undefined;
    const others = music.filter((one) => one !== moved);
    const to = Math.min(Math.max(placeAfter(from), 0), others.length);
    const order = others.toSpliced(to, 0, moved).map(({ connection }) => connection.publicId);
    try {
      await accounts.connections.order(user, order);
    } catch (error) {
      if (!(error instanceof AccountError)) throw error;
      return undefined;
    }
    const names = { source: labelOf(moved), position: String(to + 1) };
    return { tone: "good", text: fill(words.dashboard.music.moved, names) };
  };

  /** Ends a connection, unless that was done on another page since. */
  const endIfThere = async (user: DashboardRequest["user"], id: PublicConnectionId) => {
    try {
      await accounts.connections.disconnect(user, id);
    } catch (error) {
      if (!(error instanceof AccountError)) throw error;
    }
  };

  return {
    show: (request) => page(request),
    async act(request, form) {
      const { words, user } = request;
      const { music: t } = words.dashboard;
      switch (fieldOf(form, "do")) {
        case "connect":
          return connect(request, form);
        case "disconnect": {
          const id = parseConnectionId(fieldOf(form, "target"));
          if (id === undefined) return page(request);
          await endIfThere(user, id);
          return { tone: "good", text: t.disconnected };
        }
        case "rename":
          return rename(request, form);
        case "up":
        case "down":
        case "place": {
          const id = parseConnectionId(fieldOf(form, "target"));
          const by = { up: -1, down: 1 }[fieldOf(form, "do")];
          const place = Number.parseInt(fieldOf(form, "position"), 10);
          const placeAfter = (from: number) =>
            by === undefined ? (place || from + 1) - 1 : from + by;
          return (await move(request, id, placeAfter)) ?? page(request);
        }
        case "rotate": {
          const id = parseConnectionId(fieldOf(form, "target"));
          return (id !== undefined && (await rotate(request, id))) || page(request);
        }
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

/** What is wrong with the name of one more connection. */
function nameMistake(
  request: DashboardRequest,
  source: Source,
  name: string,
  music: readonly ConnectedMusic[],
): string | undefined {
  if (name !== "") return takenMistake(request, source, name, music);
  const { nameWrong } = request.words.dashboard.music;
  return fill(nameWrong, { most: String(LONGEST_KEY_NAME) });
}

function takenMistake(
  { words }: DashboardRequest,
  { id, name: sourceName }: Source,
  name: string,
  others: readonly ConnectedMusic[],
): string | undefined {
  const isTaken = others.some((one) => one.source.id === id && one.connection.name === name);
  return isTaken ? fill(words.dashboard.music.nameTaken, { source: sourceName }) : undefined;
}

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
