import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { hostInUrl, parseIp, parseNetwork } from "./ip-address.ts";
import { isUserName, USER_NAME_RULE } from "./user-name.ts";
import { beginningOf } from "./beginning.ts";
import { choice, type Field, matching, type ValueOf, wholeNumber } from "./field.ts";
import { LONGEST_ENTERED_TEXT, mistakeIn } from "./text-limits.ts";
import { LOG_FORMATS, LOG_LEVELS, redact } from "./log.ts";

/** One setting, as used by flags, environment, `--help`, `config` and the documentation. */
export interface Setting<Value> extends Field<Value> {
  /** The default value. */
  readonly fallback: Value;
  /** How `--help` shows the default when it is not simply the value. */
  readonly fallbackText?: string;
  /** What a value looks like in `--help`. A flag without a placeholder takes no value. */
  readonly placeholder?: string;
  /** One sentence for `--help` and the documentation. */
  readonly help: string;
}

/** Where covers may be looked for. */
const COVER_SERVICES = ["musicbrainz", "deezer"] as const;
export type CoverServiceName = (typeof COVER_SERVICES)[number];

/** The services that a list names, if it names the first ones in their order. */
function firstServices(text: string): readonly CoverServiceName[] | undefined {
  const typed = text.split(",").map((name) => name.trim());
  const services = COVER_SERVICES.slice(0, typed.length);
  return Bun.deepEquals(typed, services) ? services : undefined;
}

/** In UTF-16 units: a path, or a list of hosts. */
const LONGEST_SETTING = 4_096;
const OPENINGS = ["auto", "never"] as const;
const setting = <Value>(definition: Setting<Value>): Setting<Value> => definition;

/** @param end the path of the API's version, which an address may have and is stored without */
const upstreamUrl = (fallback: string, help: string, end = ""): Setting<string> => ({
  fallback,
  placeholder: "url",
  help,
  allowed: "an https address, or an http one of this machine such as http://127.0.0.1:8080",
  parse(text) {
    const url = parseUpstreamUrl(text);
    return url?.endsWith(end) ? url.slice(0, url.length - end.length) : url;
  },
});

/** What to listen on. It also stands in the addresses that a server gives. */
const listenHost = {
  allowed: "an IP address or a host name",
  parse: (text: string): string | undefined =>
    /^[0-9A-Za-z.:_-]+$/.test(text) && URL.canParse(`http://${hostInUrl(text)}`) ? text : undefined,
};

/** Every setting. The key `baseUrl` gives flag `--base-url` and variable `MARQUEE_BASE_URL`. */
export const settings = {
  data: setting<string>({
    fallback: "./marquee-data",
    fallbackText: "$STATE_DIRECTORY, else ./marquee-data or the user's folder, where the data are",
    placeholder: "folder",
    help: "Folder that holds the database and the secret key.",
    ...matching(/./s, "a folder's path"),
  }),
  host: setting<string>({
    fallback: "127.0.0.1",
    placeholder: "address",
    help: "Address to listen on; 0.0.0.0 or :: for every network.",
    ...listenHost,
  }),
  port: setting<number>({
    fallback: 4747,
    placeholder: "number",
    help: "Port to listen on; 0 takes any free one and prints it.",
    ...wholeNumber(0, 65_535),
  }),
  baseUrl: setting<string | null>({
    fallback: null,
    fallbackText: "http://127.0.0.1:<port>",
    placeholder: "url",
    help: "Public address, with a path prefix if a proxy serves Marquee below one.",
    allowed:
      "an http or https address without user name, query or fragment, whose path has only letters, digits and . _ ~ - /",
    parse: parseBaseUrl,
  }),
  allowedHosts: setting<readonly string[]>({
    fallback: [],
    fallbackText: "none besides the base URL's host and loopback names",
    placeholder: "names",
    help: "More host names this server answers to, separated by commas.",
    allowed: "host names or IP addresses without a port, separated by commas",
    parse: (text) =>
      list(text, (name) =>
        /^[0-9A-Za-z._-]+$|^\[[0-9A-Fa-f:.]+\]$/.test(name) ? name.toLowerCase() : undefined,
      ),
  }),
  trustedProxies: setting<readonly string[]>({
    fallback: [],
    fallbackText: "none",
    placeholder: "addresses",
    help: "Reverse proxies whose X-Forwarded-For is believed, separated by commas.",
    allowed: "IP addresses or ranges such as 10.0.0.0/8, separated by commas",
    parse: (text) => list(text, (range) => (parseNetwork(range) ? range : undefined)),
  }),
  coverSearch: setting<readonly CoverServiceName[]>({
    fallback: [],
    fallbackText: "off",
    placeholder: "services",
    help: "Where users may have covers looked for that their player does not have: musicbrainz, or musicbrainz,deezer.",
    allowed: "off, musicbrainz or musicbrainz,deezer",
    parse: (text) => (text === "off" ? [] : firstServices(text)),
  }),
  playerHosts: setting<readonly string[]>({
    fallback: [],
    fallbackText: "none: only the owner enters addresses",
    placeholder: "names",
    help: "Hosts that other users than the owner may enter for players, and that hooks and covers may be on, separated by commas.",
    allowed: "host names or IP addresses without a port, separated by commas",
    parse: (text) =>
      list(text, (name) =>
        /^[0-9A-Za-z._-]+$/.test(name) || (name.includes(":") && parseIp(name))
          ? name.toLowerCase()
          : undefined,
      ),
  }),
  webnowplayingPort: setting<number | null>({
    fallback: null,
    fallbackText: "none: no browser can report",
    placeholder: "number",
    help: "Port on this machine where the owner's browser extension WebNowPlaying finds Marquee.",
    ...wholeNumber(1, 65_535),
  }),
  broadcastHost: setting<string>({
    fallback: "127.0.0.1",
    placeholder: "address",
    help: "Address at which DJ and radio programs may broadcast; 0.0.0.0 or :: for every network.",
    ...listenHost,
  }),
  broadcastPort: setting<number>({
    fallback: 8000,
    placeholder: "number",
    help: "Port for DJ and radio programs, or the first free one of the nine above it; 0 for none.",
    ...wholeNumber(0, 65_526),
  }),
  owner: setting<string | null>({
    fallback: null,
    fallbackText: "your name on this machine",
    placeholder: "name",
    help: "Name of the first user, created on the first start.",
    allowed: USER_NAME_RULE,
    parse: (text) => (isUserName(text) ? text : undefined),
  }),
  demo: setting<boolean>({
    fallback: false,
    help: "Users who have connected no music get the demo playlist.",
    allowed: "true or false",
    parse: parseBoolean,
  }),
  open: setting<(typeof OPENINGS)[number]>({
    fallback: "auto",
    placeholder: "when",
    help: "Whether a start on a desktop, or marquee open, opens the browser at a sign-in link: auto or never.",
    ...choice(OPENINGS),
  }),
  files: setting<string | null>({
    fallback: null,
    fallbackText: "none: no files are written",
    placeholder: "folder",
    help: "Folder for text and cover files of what each user plays, which OBS can show.",
    ...matching(/./s, "a folder's path"),
  }),
  rateLimitSeconds: setting<number>({
    fallback: 5,
    placeholder: "seconds",
    help: "Each key may call each endpoint once in this time, in seconds; 0 turns the limit off.",
    ...wholeNumber(0, 3_600),
  }),
  musicPrefix: setting<string>({
    fallback: "music",
    placeholder: "word",
    help: "First word of music_connected, music_display_name and music_product in the API.",
    ...matching(
      /^[a-z][a-z0-9_]{0,31}$/,
      "1 to 32 lower-case letters, digits or underscores, starting with a letter",
    ),
  }),
  spotifyClientId: setting<string | null>({
    fallback: null,
    fallbackText: "what the owner has entered",
    placeholder: "id",
    help: "Client ID of your app at developer.spotify.com.",
    ...matching(/^[0-9A-Za-z_-]{1,64}$/, "the app's client ID: letters and digits"),
  }),
  spotifyClientSecret: setting<string | null>({
    fallback: null,
    fallbackText: "none: Spotify does not need one",
    placeholder: "secret",
    secret: true,
    help: "Client secret of that app, if you want to use it; best kept in a file.",
    ...matching(/^[0-9A-Za-z_-]{1,128}$/, "the app's client secret: letters and digits"),
  }),
  spotifyBudget: setting<number>({
    fallback: 180,
    placeholder: "calls",
    help: "Maximum number of calls to Spotify in any 30 seconds, for all users together.",
    ...wholeNumber(5, 10_000),
  }),
  spotifyApiUrl: upstreamUrl(
    "https://api.spotify.com",
    "Where Spotify's Web API is reached.",
    "/v1",
  ),
  spotifyAccountsUrl: upstreamUrl(
    "https://accounts.spotify.com",
    "Where Spotify's accounts service is reached.",
  ),
  lastfmApiUrl: upstreamUrl(
    "https://ws.audioscrobbler.com",
    "Where the API of Last.fm is reached, or of a server that works like it.",
    "/2.0",
  ),
  lastfmApiKey: setting<string | null>({
    fallback: null,
    fallbackText: "none: Last.fm cannot be connected",
    placeholder: "key",
    secret: true,
    help: "API key from last.fm/api/account/create; best kept in a file.",
    ...matching(/^[0-9A-Za-z_-]{1,128}$/, "the API key: letters and digits"),
  }),
  listenbrainzApiUrl: upstreamUrl(
    "https://api.listenbrainz.org",
    "Where the API of ListenBrainz is reached, or of a server that works like it.",
    "/1",
  ),
  twitchClientId: setting<string | null>({
    fallback: null,
    fallbackText: "what the owner has entered",
    placeholder: "id",
    help: "Client ID of your public application at dev.twitch.tv, which links Twitch chats.",
    ...matching(
      /^[a-z0-9]{1,64}$/,
      "the application's client ID: 1 to 64 lower-case letters and digits",
    ),
  }),
  twitchIdUrl: upstreamUrl("https://id.twitch.tv/oauth2", "Where Twitch gives out tokens."),
  twitchApiUrl: upstreamUrl("https://api.twitch.tv/helix", "Where Twitch's API is reached."),
  twitchEventsubUrl: setting<string>({
    fallback: "wss://eventsub.wss.twitch.tv/ws",
    placeholder: "url",
    help: "Where Twitch sends the messages of chats.",
    allowed: "a wss address, or a ws one of this machine such as ws://127.0.0.1:8080/ws",
    parse: parseSocketUrl,
  }),
  secretKey: setting<string | null>({
    fallback: null,
    fallbackText: "secret.key in the data folder",
    placeholder: "base64",
    secret: true,
    help: "Key that encrypts stored secrets; best kept in a file.",
    ...matching(/^[0-9A-Za-z+/_-]{43}=?$/, "32 random bytes in base64 (43 or 44 characters)"),
  }),
  metricsToken: setting<string | null>({
    fallback: null,
    fallbackText: "none: there are no metrics",
    placeholder: "token",
    secret: true,
    help: "Opens /metrics to anyone who sends it as a bearer token; best kept in a file.",
    ...matching(/^[0-9A-Za-z_-]{16,200}$/, "16 to 200 letters, digits, - or _"),
  }),
  logLevel: setting<(typeof LOG_LEVELS)[number]>({
    fallback: "info",
    placeholder: "level",
    help: "How much is logged: error, warn, info or debug.",
    ...choice(LOG_LEVELS),
  }),
  logFormat: setting<(typeof LOG_FORMATS)[number]>({
    fallback: "text",
    placeholder: "format",
    help: "Format of a log line: text or json.",
    ...choice(LOG_FORMATS),
  }),
} as const;

export type SettingName = keyof typeof settings;
export const settingNames = Object.keys(settings) as readonly SettingName[];

/** Every setting's value. */
export type Config = { readonly [Name in SettingName]: ValueOf<(typeof settings)[Name]> };

/** The flag of a name, such as `--base-url` of `baseUrl`. */
export const flagNamed = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Of `marquee update` alone: where it finds releases instead. */
export const UPDATE_MIRROR_VARIABLE = "MARQUEE_UPDATE_FROM";

/** A setting's flag, such as `--base-url`. */
export const flagOf = (name: SettingName): string => flagNamed(name);

/** A setting's environment variable, such as `MARQUEE_BASE_URL`. */
export const variableOf = (name: SettingName): string =>
  `MARQUEE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/** All mistakes in the settings, one sentence each. */
export class SettingsError extends Error {
  readonly mistakes: readonly string[];
  constructor(mistakes: readonly string[]) {
    super(mistakes.join("\n"));
    this.name = "SettingsError";
    this.mistakes = mistakes;
  }
}

/**
 * Determines every setting. Precedence: flag, variable, `…_FILE` variable, default.
 * @throws {SettingsError} that lists all mistakes
 */
export function resolveConfig(
  flags: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
) {
  const mistakes: string[] = [];
  const origins: Partial<Record<SettingName, string>> = {};
  const resolve = <Name extends SettingName>(name: Name): Config[Name] => {
    const definition = settings[name] as unknown as Setting<Config[Name]>;
    const given = findText(name, definition, flags, environment, mistakes);
    if (given === undefined) {
      origins[name] = "default";
      return definition.fallback;
    }
    origins[name] = given.origin;
    const text = given.text.trim();
    const value = mistakeIn(text, LONGEST_SETTING) ? undefined : definition.parse(text);
    if (value !== undefined) return value;
    const shown = definition.secret
      ? ""
      : ` ${JSON.stringify(beginningOf(redact(given.text), LONGEST_ENTERED_TEXT))}`;
    mistakes.push(`${given.origin}${shown} must be ${definition.allowed}.`);
    return definition.fallback;
  };
  const config = Object.fromEntries(settingNames.map((name) => [name, resolve(name)])) as Config;
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return {
    config,
    /** Where each value came from: a flag, a variable, a file or `default`. */
    origins: origins as Readonly<Record<SettingName, string>>,
    /** Variables that look like settings but are not, one sentence each. */
    warnings: unknownVariables(environment),
  };
}

export type ResolvedConfig = ReturnType<typeof resolveConfig>;

/** What stands in the place of a secret. */
export const MASKED = "(secret)";

/** A setting in force, as `marquee config` prints it. */
export interface ShownSetting {
  /** The flag's name without the leading dashes. */
  readonly setting: string;
  /** A secret is masked. */
  readonly value: unknown;
  /** Where it came from: a flag, a variable, a file or `default`; of the data folder, why it is there. */
  readonly origin: string;
  readonly variable: string;
}

/** Every setting in force and where it came from, secrets masked. */
export function describeSettings({ config, origins }: ResolvedConfig): ShownSetting[] {
  return settingNames.map((name) => {
    const isMasked = "secret" in settings[name] && config[name] !== null;
    // A relative path is another folder in each working folder.
    const isFolder = settings[name].placeholder === "folder" && config[name] !== null;
    const value = isFolder ? resolve(String(config[name])) : config[name];
    return {
      setting: flagOf(name).slice(2),
      value: isMasked ? MASKED : value,
      origin: origins[name],
      variable: variableOf(name),
    };
  });
}

/** Whether an origin is a flag, a variable or a file. */
export const isChosen = (origin: string): boolean => /^--|^MARQUEE_|^STATE_DIRECTORY$/.test(origin);

/** The value of a setting as one line of text; a dash when there is none. */
export function textOf(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return "–";
  return Array.isArray(value) ? value.join(", ") : String(value);
}

function findText(
  name: SettingName,
  definition: Setting<unknown>,
  flags: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
  mistakes: string[],
): { readonly text: string; readonly origin: string } | undefined {
  const flag = flags[name];
  if (flag === true) return { text: "true", origin: flagOf(name) };
  if (typeof flag === "string") return { text: flag, origin: flagOf(name) };

  const variable = variableOf(name);
  const text = environment[variable];
  const path = definition.secret ? environment[`${variable}_FILE`] : undefined;
  if (text && path)
    mistakes.push(`${variable} and ${variable}_FILE are both set: keep one of them.`);
  if (text) return { text, origin: variable };
  if (path) {
    try {
      return { text: readFileSync(path, "utf8"), origin: `${variable}_FILE` };
    } catch {
      mistakes.push(
        `${variable}_FILE ${JSON.stringify(path)} must be a file this program can read.`,
      );
      return undefined;
    }
  }
  // systemd gives the folders that it created for the service; the first one is used.
  const stateDirectory =
    name === "data" ? environment["STATE_DIRECTORY"]?.split(":")[0] : undefined;
  return stateDirectory ? { text: stateDirectory, origin: "STATE_DIRECTORY" } : undefined;
}

function unknownVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set([
    UPDATE_MIRROR_VARIABLE,
    ...settingNames.flatMap((name) =>
      "secret" in settings[name]
        ? [variableOf(name), `${variableOf(name)}_FILE`]
        : [variableOf(name)],
    ),
  ]);
  return Object.keys(environment)
    .filter((variable) => variable.startsWith("MARQUEE_") && !known.has(variable))
    .map((variable) => `${variable} is not a setting and has no effect; see marquee serve --help.`);
}

function parseBoolean(text: string): boolean | undefined {
  if (/^(true|1|yes|on)$/i.test(text)) return true;
  return /^(false|0|no|off)$/i.test(text) ? false : undefined;
}

function list<Item>(text: string, parse: (item: string) => Item | undefined): Item[] | undefined {
  const items = text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")
    .map(parse);
  return items.every((item) => item !== undefined) ? items : undefined;
}

/** Credentials are sent there, so plain http is allowed only to this machine. */
function parseUpstreamUrl(text: string): string | undefined {
  const url = parseBaseUrl(text);
  if (url === undefined) return undefined;
  const { protocol, hostname } = new URL(url);
  const isLoopback = ["localhost", "[::1]"].includes(hostname) || /^127\.[\d.]+$/.test(hostname);
  return protocol === "https:" || isLoopback ? url : undefined;
}

/** The same for a WebSocket. */
function parseSocketUrl(text: string): string | undefined {
  if (!/^wss?:/i.test(text)) return undefined;
  return parseUpstreamUrl(text.replace(/^ws/i, "http"))?.replace(/^http/, "ws");
}

/** A public address without a slash at its end; `undefined` for anything else. */
export function parseBaseUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.username || url.password || /[?#]/.test(text)) return undefined;
  if (!/^[0-9A-Za-z/._~-]*$/.test(url.pathname) || url.pathname.includes("//")) return undefined;
  return url.href.replace(/\/+$/, "");
}
