import { resolve } from "node:path";
import type { Accounts } from "../../accounts/accounts.ts";
import { AccountError } from "../../accounts/context.ts";
import { SIGN_IN_PURPOSE } from "../../accounts/one-time-links.ts";
import { secretKeyPath } from "../../accounts/secrets.ts";
import { isUserName } from "../../user-name.ts";
import type { User } from "../../accounts/users.ts";
import type { Clock } from "../../clock.ts";
import { describeSettings, type ResolvedConfig } from "../../config.ts";
import { fill, formatDay, isLanguage } from "../../i18n/index.ts";
import { Html } from "../../jsx.ts";
import type { Hub } from "../../channels/hub.ts";
import type { Sources } from "../../sources/index.ts";
import { VERSION_LINE } from "../../version.ts";
import { fieldOf } from "../../http/form-field.ts";
import { Confirm, Field, Form } from "./form.tsx";
import { dashboardPage } from "./frame.tsx";
import { describeHealth } from "./status-words.ts";
import { musicOf } from "../../sources/connected-music.ts";
import { type Notice, pathTo, type Section, type Visit } from "./request.ts";

export interface ServerDeps {
  readonly accounts: Accounts;
  readonly hub: Pick<Hub, "followConnections">;
  readonly sources: Pick<Sources, "byId">;
  readonly clock: Clock;
  /** The settings in force and where each came from. */
  readonly settings: ResolvedConfig;
  /** Where the server is reached, without a slash at the end. */
  readonly baseUrl: string;
  /** Closes the sockets whose widget token or session no longer works. */
  dropEnded(): Promise<void>;
}

/** A name that was typed and cannot be added. */
interface RefusedName {
  readonly typed: string;
  readonly mistake: string;
}

/** Users, backup and settings, for the owner. */
export function createServerSection(deps: ServerDeps): Section {
  const { accounts, hub, sources, clock, settings, baseUrl } = deps;

  const page = async (visit: Visit, refused?: RefusedName): Promise<Response> => {
    const { words } = visit;
    const { server: said } = words.dashboard;
    const cards = await Promise.all(
      (await accounts.users.list()).map((user) => userCard(visit, user)),
    );
    return dashboardPage(
      {
        visit,
        title: words.dashboard.sections.server,
        lead: said.lead,
        ...(refused && { notice: { tone: "bad", text: said.notAdded } }),
        children: (
          <>
            <section>
              <h2 safe>{said.users}</h2>
              <ul class="people">{cards as "safe"[]}</ul>
            </section>
            <section>
              <h2 safe>{said.add}</h2>
              <p safe>{said.addText}</p>
              <Form visit={visit} does="add">
                <>
                  <Field
                    id="user-name"
                    label={said.name}
                    hint={said.nameHint}
                    value={refused?.typed}
                    mistake={refused?.mistake}
                    required
                  />
                  <button type="submit" safe>
                    {said.add}
                  </button>
                </>
              </Form>
            </section>
            <Backup visit={visit} settings={settings} />
            <section>
              <h2 safe>{said.runs}</h2>
              <p safe>{VERSION_LINE}</p>
              <p class="breakable" safe>
                {baseUrl}
              </p>
            </section>
            <SettingsInForce visit={visit} settings={settings} />
          </>
        ),
      },
      refused ? 422 : 200,
    );
  };

  const userCard = async (visit: Visit, user: User): Promise<JSX.Element> => {
    const { words, language } = visit;
    const { server: said, health: healthWords, music: musicWords } = words.dashboard;
    const isSelf = user.id === visit.user.id;
    const music = await musicOf(user.id, accounts, sources);
    const { tone, text } = music
      ? describeHealth(music.health, music.source.name, language, clock.wallMs())
      : { tone: "idle", text: healthWords.nothing };
    const linkedUntil = music?.health.linkedUntil ?? null;
    const about = [
      user.role === "owner" ? said.owner : said.member,
      ...(isSelf ? [said.you] : []),
      ...(music ? [music.source.name] : []),
    ];
    const target = String(user.id);
    return (
      <li>
        <h3 safe>{user.name}</h3>
        <p class="hint" safe>
          {about.join(" · ")}
        </p>
        <p class={`status ${tone}`} safe>
          {text}
        </p>
        {linkedUntil === null ? (
          ""
        ) : (
          <p class="hint" safe>
            {fill(musicWords.linkedUntil, { day: formatDay(language, linkedUntil) })}
          </p>
        )}
        <div class="actions">
          <Form visit={visit} does="link" target={target} class="bare">
            <button type="submit" class="quiet" safe>
              {said.makeLink}
            </button>
          </Form>
          {isSelf ? (
            ""
          ) : (
            <Confirm label={said.remove} consequence={fill(said.removeText, { user: user.name })}>
              <Form visit={visit} does="remove" target={target}>
                <button type="submit" class="bad" safe>
                  {fill(said.removeUser, { user: user.name })}
                </button>
              </Form>
            </Confirm>
          )}
        </div>
      </li>
    );
  };

  /** An address that signs a browser in, in the language of whoever it is for. */
  const signInUrl = async (user: User, visit: Visit): Promise<string> => {
    const secret = await accounts.links.issue(user, SIGN_IN_PURPOSE);
    const language = isLanguage(user.language ?? "") ? user.language : visit.language;
    return `${baseUrl}/${language}/sign-in/${secret}`;
  };

  const add = async (visit: Visit, form: FormData): Promise<Notice | Response> => {
    const { server: said } = visit.words.dashboard;
    const typed = fieldOf(form, "user-name");
    if (!isUserName(typed)) return page(visit, { typed, mistake: said.nameRefused });
    try {
      const [added] = await accounts.add([typed]);
      if (!added) return await page(visit);
      const { user, key, widgetToken } = added;
      return {
        tone: "good",
        text: fill(said.added, { user: user.name }),
        shownOnce: [
          { label: said.signInLink, value: await signInUrl(user, visit) },
          { label: said.apiKey, value: key },
          {
            label: said.widgetUrl,
            value: `${baseUrl}/${visit.language}/widget/${widgetToken}`,
          },
        ],
      };
    } catch (error) {
      if (!(error instanceof AccountError)) throw error;
      return page(visit, { typed, mistake: fill(said.nameTaken, { user: typed }) });
    }
  };

  const remove = async (visit: Visit, user: User): Promise<Notice> => {
    const { server: said } = visit.words.dashboard;
    if (user.id === visit.user.id) return { tone: "bad", text: said.removeSelf };
    await accounts.users.remove(user.name);
    await deps.dropEnded();
    await hub.followConnections();
    return { tone: "good", text: fill(said.removed, { user: user.name }) };
  };

  return {
    ownerOnly: true,
    show: (visit) => page(visit),
    async act(visit, form) {
      const { server: said } = visit.words.dashboard;
      const does = fieldOf(form, "does");
      if (does === "add") return add(visit, form);
      if (does !== "link" && does !== "remove") return page(visit);
      const target = fieldOf(form, "target");
      const user = (await accounts.users.list()).find(({ id }) => String(id) === target);
      if (!user) return { tone: "bad", text: said.unknown };
      if (does === "remove") return remove(visit, user);
      return {
        tone: "good",
        text: fill(said.linkMade, { user: user.name }),
        shownOnce: [{ label: said.signInLink, value: await signInUrl(user, visit) }],
      };
    },
  };
}

interface PartProps {
  readonly visit: Visit;
  readonly settings: ResolvedConfig;
}

function Backup({ visit, settings: { config, origins } }: PartProps): JSX.Element {
  const { server: said } = visit.words.dashboard;
  const key =
    config.secretKey === null
      ? resolve(secretKeyPath(config.data))
      : fill(said.keyFrom, { origin: origins.secretKey });
  return (
    <section>
      <h2 safe>{said.backup}</h2>
      <p safe>{said.backupText}</p>
      <p class="breakable" safe>
        {fill(said.backupKey, { key })}
      </p>
      <p class="actions">
        <a class="button" href={`${pathTo(visit, "server")}/backup`} download="" safe>
          {said.download}
        </a>
      </p>
    </section>
  );
}

function SettingsInForce({ visit, settings }: PartProps): JSX.Element {
  const { server: said } = visit.words.dashboard;
  return (
    <section>
      <h2 safe>{said.settings}</h2>
      <p safe>{said.settingsText}</p>
      <dl class="settings">
        {describeSettings(settings).map(({ setting, text, masked, origin }) => (
          <div {...(origin !== "default" && { class: "chosen" })}>
            <dt safe>{setting}</dt>
            <dd class="value" safe>
              {masked ? said.masked : text}
            </dd>
            <dd class="origin" safe>
              {origin === "default" ? said.standard : origin}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
