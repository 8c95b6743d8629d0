import { addressOf, passwordOption, requiredText, urlOption } from "../../entered-server.ts";
import { definePolledSource, type PolledSourceDeps } from "../../polling/polled-source.ts";
import { type Source } from "../../source.ts";
import {
  errorCodeIn,
  NO_TOKENS,
  PARAMETER_MISSING,
  readNowPlaying,
  SUBSONIC,
} from "./now-playing.ts";

/** Servers with the Subsonic API, such as Navidrome: https://opensubsonic.netlify.app/docs/ */

const DEFAULT_URL = "http://127.0.0.1:4533";

export const createSubsonic = (deps: PolledSourceDeps): Source =>
  definePolledSource({
    deps,
    id: "subsonic",
    name: SUBSONIC,
    facts: {
      runs: "server",
      reports: ["cover"],
      reportsSometimes: ["position", "pause"],
      delayMs: 5_000,
      calls: ["entered"],
    },
    intervalMs: 5_000,
    options: {
      url: urlOption("Where your music server is.", DEFAULT_URL),
      user: requiredText("name", "Your user name on the music server.", "your name on the server"),
      password: passwordOption("Your password on the music server."),
    },
    account: ({ user }) => ({ displayName: user }),
    addressOf,
    urlOf: ({ url }) => url,
    begin(settings, { get, artwork }) {
      let credentials = saltedToken;
      const pathTo = (method: string, parameters: Readonly<Record<string, string>> = {}) =>
        `/rest/${method}?${new URLSearchParams({
          u: settings.user,
          ...credentials(settings.password),
          v: "1.16.1",
          c: "Marquee",
          f: "json",
          ...parameters,
        })}`;
      const ask = async () => {
        const answer = await get(pathTo("getNowPlaying"));
        return { answer, code: errorCodeIn(answer) };
      };
      return async () => {
        let { answer, code } = await ask();
        // Some servers, such as supysonic, take only the password itself.
        if ((code === NO_TOKENS || code === PARAMETER_MISSING) && credentials === saltedToken) {
          credentials = encodedPassword;
          ({ answer, code } = await ask());
        }
        return readNowPlaying(answer, code, settings.user, (id) =>
          artwork(id, pathTo("getCoverArt", { id, size: "640" })),
        );
      };
    },
  });

function saltedToken(password: string): Record<string, string> {
  const salt = Buffer.from(crypto.getRandomValues(new Uint8Array(9))).toString("base64url");
  const token = new Bun.CryptoHasher("md5").update(password + salt).digest("hex");
  return { t: token, s: salt };
}

const encodedPassword = (password: string): Record<string, string> => ({
  p: `enc:${Buffer.from(password).toString("hex")}`,
});
