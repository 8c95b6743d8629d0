import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import {
  flagOf,
  resolveConfig,
  settingNames,
  settings,
  SettingsError,
  variableOf,
} from "../src/config.ts";
import { createTempFolder } from "./fixtures/data/temp-folder.ts";

type Flags = Parameters<typeof resolveConfig>[0];
type Environment = Parameters<typeof resolveConfig>[1];

const KEY = Buffer.alloc(32, 7).toString("base64");
const OTHER_KEY = Buffer.alloc(32, 8).toString("base64");

let folder: ReturnType<typeof createTempFolder>;
beforeEach(() => {
  folder = createTempFolder();
});
afterEach(() => folder.remove());

/** The path of a file with this in it. */
function fileWith(text: string): string {
  const path = join(folder.path, "secret");
  writeFileSync(path, text);
  return path;
}

/** What is said to be wrong with settings. */
function mistakesOf(flags: Flags, environment: Environment = {}): readonly string[] {
  try {
    resolveConfig(flags, environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.mistakes;
    throw error;
  }
  return [];
}

const baseUrlFrom = (text: string) => resolveConfig({ baseUrl: text }, {}).config.baseUrl;

describe("a setting's value", () => {
  test("is the default when nobody sets it", () => {
    const { config, origins, warnings } = resolveConfig({}, {});
    expect(config).toEqual({
      data: "./marquee-data",
      host: "127.0.0.1",
      port: 4747,
      baseUrl: null,
      allowedHosts: [],
      trustedProxies: [],
      coverSearch: [],
      playerHosts: [],
      webnowplayingPort: null,
      broadcastHost: "127.0.0.1",
      broadcastPort: 8000,
      owner: null,
      demo: false,
      open: "auto",
      files: null,
      rateLimitSeconds: 5,
      musicPrefix: "music",
      spotifyClientId: null,
      spotifyClientSecret: null,
      spotifyBudget: 180,
      spotifyApiUrl: "https://api.spotify.com",
      spotifyAccountsUrl: "https://accounts.spotify.com",
      lastfmApiUrl: "https://ws.audioscrobbler.com",
      lastfmApiKey: null,
      listenbrainzApiUrl: "https://api.listenbrainz.org",
      twitchClientId: null,
      twitchIdUrl: "https://id.twitch.tv/oauth2",
      twitchApiUrl: "https://api.twitch.tv/helix",
      twitchEventsubUrl: "wss://eventsub.wss.twitch.tv/ws",
      secretKey: null,
      metricsToken: null,
      logLevel: "info",
      logFormat: "text",
    });
    expect(new Set(Object.values(origins))).toEqual(new Set(["default"]));
    expect(warnings).toEqual([]);
  });

  test("is the variable's before the default", () => {
    const { config, origins } = resolveConfig({}, { MARQUEE_PORT: "8080" });
    expect(config.port).toBe(8080);
    expect(origins.port).toBe("MARQUEE_PORT");
  });

  test("is the flag's before the variable's", () => {
    const { config, origins } = resolveConfig({ port: "9090" }, { MARQUEE_PORT: "8080" });
    expect(config.port).toBe(9090);
    expect(origins.port).toBe("--port");
  });

  test("is a secret file's before the default, without the line's end", () => {
    const environment = { MARQUEE_SECRET_KEY_FILE: fileWith(`${KEY}\n`) };
    const { config, origins } = resolveConfig({}, environment);
    expect(config.secretKey).toBe(KEY);
    expect(origins.secretKey).toBe("MARQUEE_SECRET_KEY_FILE");
  });

  test("is the flag's before a secret file's", () => {
    const environment = { MARQUEE_SECRET_KEY_FILE: fileWith(OTHER_KEY) };
    expect(resolveConfig({ secretKey: KEY }, environment).config.secretKey).toBe(KEY);
  });

  test("is the default where the variable is empty", () => {
    const { config, origins } = resolveConfig({}, { MARQUEE_PORT: "" });
    expect(config.port).toBe(4747);
    expect(origins.port).toBe("default");
  });

  test("is true where a switch is given", () => {
    expect(resolveConfig({ demo: true }, {}).config.demo).toBe(true);
  });
});

describe("the data folder", () => {
  const dataFrom = (environment: Environment, flags: Flags = {}) => {
    const { config, origins } = resolveConfig(flags, environment);
    return [config.data, origins.data];
  };

  test("is systemd's when nothing else is set", () => {
    expect(dataFrom({ STATE_DIRECTORY: "/var/lib/marquee" })).toEqual([
      "/var/lib/marquee",
      "STATE_DIRECTORY",
    ]);
  });

  test("is the first of systemd's folders", () => {
    expect(dataFrom({ STATE_DIRECTORY: "/var/lib/a:/var/lib/b" })[0]).toBe("/var/lib/a");
  });

  test("is the variable's or the flag's before systemd's", () => {
    const environment = { STATE_DIRECTORY: "/var/lib/marquee", MARQUEE_DATA: "/srv" };
    expect(dataFrom(environment)).toEqual(["/srv", "MARQUEE_DATA"]);
    expect(dataFrom(environment, { data: "/here" })).toEqual(["/here", "--data"]);
  });
});

describe("mistakes", () => {
  test("are told all at once, each with where it stands, what it says and what is allowed", () => {
    const mistakes = mistakesOf(
      { port: "eighty", logLevel: "loud" },
      { MARQUEE_RATE_LIMIT_SECONDS: "-1", MARQUEE_MUSIC_PREFIX: "Spotify" },
    );
    expect(mistakes.toSorted()).toEqual([
      '--log-level "loud" must be one of error, warn, info, debug.',
      '--port "eighty" must be a whole number from 0 to 65535.',
      'MARQUEE_MUSIC_PREFIX "Spotify" must be 1 to 32 lower-case letters, digits or underscores, starting with a letter.',
      'MARQUEE_RATE_LIMIT_SECONDS "-1" must be a whole number from 0 to 3600.',
    ]);
  });

  test("are the error's message, a line each", () => {
    expect(() => resolveConfig({ port: "x", host: "a b" }, {})).toThrow(
      /^--host[^\n]+\n--port[^\n]+$/,
    );
  });

  test.each(settingNames)("in %s name its flag and its variable", (name) => {
    for (const wrong of ["not\nallowed", "a\u0007", "a".repeat(60_000)]) {
      expect(mistakesOf({ [name]: wrong })[0]).toStartWith(`${flagOf(name)}`);
      expect(mistakesOf({}, { [variableOf(name)]: wrong })[0]).toStartWith(`${variableOf(name)}`);
      expect(mistakesOf({ [name]: wrong })[0]).toEndWith(`must be ${settings[name].allowed}.`);
      expect(mistakesOf({ [name]: wrong })[0]?.length).toBeLessThan(700);
    }
  });

  test("never show a secret", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, maxLength: 42 }), (secret) => {
        fc.pre(
          secret.trim().length >= 8 &&
            !"MARQUEE_SECRET_KEY 32 random bytes in base64".includes(secret),
        );
        const mistakes = [
          ...mistakesOf({ secretKey: secret }),
          ...mistakesOf({}, { MARQUEE_SECRET_KEY: secret }),
        ];
        expect(mistakes).toHaveLength(2);
        for (const mistake of mistakes) expect(mistake).not.toContain(secret);
      }),
    );
  });

  test("never show a secret that a file holds, or one in an address", () => {
    const [file] = mistakesOf({}, { MARQUEE_SECRET_KEY_FILE: fileWith("swordfish") });
    expect(file).toStartWith("MARQUEE_SECRET_KEY_FILE must be");
    for (const url of ["https://ada:swordfish@example.org", "http://x/?api_key=swordfish"]) {
      const [mistake] = mistakesOf({ baseUrl: url });
      expect(mistake).toStartWith('--base-url "');
      expect(mistake).not.toContain("swordfish");
    }
  });

  test("tell that a secret is set twice, even where both are right", () => {
    const mistakes = mistakesOf(
      {},
      { MARQUEE_SECRET_KEY: KEY, MARQUEE_SECRET_KEY_FILE: fileWith(OTHER_KEY) },
    );
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toMatch(/MARQUEE_SECRET_KEY and MARQUEE_SECRET_KEY_FILE/);
  });

  test("tell that a secret's file cannot be read", () => {
    const path = join(folder.path, "missing");
    const [mistake] = mistakesOf({}, { MARQUEE_SECRET_KEY_FILE: path });
    expect(mistake).toContain("MARQUEE_SECRET_KEY_FILE");
    expect(mistake).toContain(path);
  });
});

describe("the base URL", () => {
  test.each([
    ["https://music.example.org", "https://music.example.org"],
    ["https://music.example.org/", "https://music.example.org"],
    ["HTTPS://Music.Example.ORG/", "https://music.example.org"],
    ["https://example.org:443/music/", "https://example.org/music"],
    ["http://example.org:80", "http://example.org"],
    ["http://example.org:8080/a/b/", "http://example.org:8080/a/b"],
    ["http://[::1]:4747", "http://[::1]:4747"],
    [" http://127.0.0.1:4747 ", "http://127.0.0.1:4747"],
    ["https://example.org/Music", "https://example.org/Music"],
  ])("%p is taken as %p", (text, url) => expect(baseUrlFrom(text)).toBe(url));

  test.each([
    "",
    "example.org",
    "ftp://example.org",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "http://",
    "https://ada@example.org",
    "https://ada:secret@example.org",
    "https://example.org/?a=1",
    "https://example.org/?",
    "https://example.org/#top",
    "https://example.org//music",
    "https://example.org/a b",
    "https://example.org/%20",
    "https://example.org/<script>",
    'https://example.org/"',
    "http://example.org:99999",
  ])("%p is refused", (text) => expect(mistakesOf({ baseUrl: text })).toHaveLength(1));

  test("is an address again, with no slash at its end, whatever was allowed", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: false, withFragments: false }), (text) => {
        fc.pre(mistakesOf({ baseUrl: text }).length === 0);
        const url = String(baseUrlFrom(text));
        expect(url).not.toEndWith("/");
        expect(baseUrlFrom(`${url}/`)).toBe(url);
        expect(new URL(url).host).toBe(new URL(text).host);
      }),
    );
  });
});

describe.each(["host", "broadcastHost"] as const)("the address to listen on, %s,", (name) => {
  test.each(["127.0.0.1", "0.0.0.0", "::", "fd00::1", "localhost", "music.lan"])(
    "may be %p",
    (text) => expect(resolveConfig({ [name]: text }, {}).config[name]).toBe(text),
  );

  test.each(["256.1.1.1", "1.2.3.4.5", ":::", "music:80", "[::1]", "music.lan/", "a b", ""])(
    "may not be %p",
    (text) => expect(mistakesOf({ [name]: text })).toHaveLength(1),
  );
});

describe("numbers", () => {
  test.each([
    ["port", "0", 0],
    ["port", "65535", 65_535],
    ["port", " 80 ", 80],
    ["rateLimitSeconds", "0", 0],
    ["rateLimitSeconds", "3600", 3_600],
  ] as const)("%s may be %p", (name, text, value) =>
    expect(resolveConfig({ [name]: text }, {}).config[name]).toBe(value),
  );

  test.each([
    ["port", "65536"],
    ["port", "-1"],
    ["port", "80.5"],
    ["port", "1e3"],
    ["port", "0x50"],
    ["port", ""],
    ["rateLimitSeconds", "3601"],
    ["rateLimitSeconds", "Infinity"],
  ])("%s may not be %p", (name, text) => expect(mistakesOf({ [name]: text })).toHaveLength(1));
});

describe("where covers are looked for", () => {
  test.each([
    ["off", []],
    ["musicbrainz", ["musicbrainz"]],
    ["musicbrainz, deezer", ["musicbrainz", "deezer"]],
  ] as const)("may be %p", (text, services) =>
    expect(resolveConfig({ coverSearch: text }, {}).config.coverSearch).toEqual([...services]),
  );

  test.each([
    "",
    "on",
    "deezer",
    "deezer,musicbrainz",
    "musicbrainz,musicbrainz",
    "itunes",
    "off,",
  ])("may not be %p", (text) => expect(mistakesOf({ coverSearch: text })).toHaveLength(1));
});

describe("lists", () => {
  test("are separated by commas, with or without spaces", () => {
    const { config } = resolveConfig(
      {
        allowedHosts: "Music.lan, [::1],,10.0.0.1",
        trustedProxies: "10.0.0.0/8, ::1",
        playerHosts: "Music.lan, fd00::1",
      },
      {},
    );
    expect(config.allowedHosts).toEqual(["music.lan", "[::1]", "10.0.0.1"]);
    expect(config.playerHosts).toEqual(["music.lan", "fd00::1"]);
    expect(config.trustedProxies).toEqual(["10.0.0.0/8", "::1"]);
  });

  test.each([
    ["allowedHosts", "music.lan:4747"],
    ["allowedHosts", "http://music.lan"],
    ["allowedHosts", "*"],
    ["playerHosts", "192.168.1.20:8080"],
    ["playerHosts", "music.lan:6600"],
    ["trustedProxies", "proxy.lan"],
    ["trustedProxies", "10.0.0.0/33"],
    ["trustedProxies", "10.0.0.1,nonsense"],
  ])("%s may not be %p", (name, text) => expect(mistakesOf({ [name]: text })).toHaveLength(1));
});

test.each([
  ["true", true],
  ["1", true],
  ["YES", true],
  ["on", true],
  ["false", false],
  ["0", false],
  ["no", false],
  ["off", false],
])("the variable of a switch may say %p", (text, value) =>
  expect(resolveConfig({}, { MARQUEE_DEMO: text }).config.demo).toBe(value),
);

describe("variables that are no settings", () => {
  test("are warned of by name, without their value", () => {
    const { warnings } = resolveConfig({}, { MARQUEE_PROT: "swordfish", MARQUEE_PORT_FILE: "x" });
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toStartWith("MARQUEE_PROT ");
    expect(warnings[1]).toStartWith("MARQUEE_PORT_FILE ");
    expect(warnings.join()).not.toContain("swordfish");
  });

  test("are nobody's business without our prefix", () => {
    expect(resolveConfig({}, { PORT: "x", HOME: "/root", MY_MARQUEE_X: "1" }).warnings).toEqual([]);
  });

  test("are none of those that settings are read from", () => {
    const known = settingNames.map((name) => [variableOf(name), ""]);
    const environment = Object.fromEntries([...known, ["MARQUEE_SECRET_KEY_FILE", ""]]);
    expect(resolveConfig({}, environment).warnings).toEqual([]);
  });
});

describe("every setting", () => {
  test.each(settingNames)("%s has a sentence of help and says what is allowed", (name) => {
    const { help, allowed } = settings[name];
    expect(help).toMatch(/^[A-Z].+\.$/);
    expect(allowed).toMatch(/^.{5,}[^.]$/);
  });

  test.each([
    ["baseUrl", "--base-url", "MARQUEE_BASE_URL"],
    ["rateLimitSeconds", "--rate-limit-seconds", "MARQUEE_RATE_LIMIT_SECONDS"],
    ["trustedProxies", "--trusted-proxies", "MARQUEE_TRUSTED_PROXIES"],
    ["musicPrefix", "--music-prefix", "MARQUEE_MUSIC_PREFIX"],
    ["data", "--data", "MARQUEE_DATA"],
  ] as const)("%s is set by %s or %s", (name, flag, variable) => {
    expect(flagOf(name)).toBe(flag);
    expect(variableOf(name)).toBe(variable);
  });
});
