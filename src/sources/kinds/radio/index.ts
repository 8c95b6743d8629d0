import { LONGEST_ADDRESS } from "../../../text-limits.ts";
import type { Upstream } from "../../../upstream/index.ts";
import { mayBePublic } from "../../../upstream/public-hosts.ts";
import { toSourceFailure } from "../../answer-failure.ts";
import { type Delayed, DELAY_OPTION, delayed, parseDelay } from "../../delay.ts";
import { addressOf } from "../../entered-server.ts";
import { defineSource, type Source, wrongOption } from "../../source.ts";

/** An internet radio, by the address that its listeners open. */

export const NAME = "Radio";

export interface RadioSettings extends Delayed {
  readonly url: string;
}

export interface RadioDeps {
  /** Hosts that the owner has listed. */
  readonly playerHosts: readonly string[];
  /** The way to public servers, by plain http too if that is wanted, and to those at these origins. */
  upstreamOf(origins: readonly string[], allowsHttp: boolean): Upstream;
}

export const createRadio = (deps: RadioDeps): Source =>
  defineSource<RadioSettings>({
    id: "radio",
    name: NAME,
    delivery: "streamed",
    facts: {
      runs: "service",
      position: "no",
      pause: "no",
      cover: "no",
      volume: "no",
      delayMs: 3_000,
      calls: ["entered"],
    },
    options: [
      {
        name: "url",
        placeholder: "https://host/stream",
        help: "The radio's address, or that of its playlist.",
        longest: LONGEST_ADDRESS,
      },
      DELAY_OPTION,
    ],
    parseSettings(input) {
      const { url, delay } = Object(input) as { readonly url?: unknown; readonly delay?: unknown };
      return { url: parseStreamUrl(url), delay: parseDelay(delay) };
    },
    account: () => ({ displayName: null, product: null }),
    // What is public and encrypted may be entered by everybody.
    addressOf: (settings) =>
      mayBeEnteredByAll(new URL(settings.url)) ? undefined : addressOf(settings),
    watch: (settings, context) =>
      delayed(
        async function* (signal) {
          if (signal.aborted) return;
          try {
            const { listen } = await import("./listen.ts");
            yield* listen(settings, deps, { ...context, signal });
          } catch (error) {
            if (signal.aborted) return;
            throw toSourceFailure(error, NAME);
          }
        },
        settings,
        context,
      ),
  });

export const mayBeEnteredByAll = (url: URL): boolean =>
  url.protocol === "https:" && mayBePublic(url);

/** An address, which may have a query. The message does not repeat it: it may hold a secret. */
function parseStreamUrl(given: unknown): string {
  const text = typeof given === "string" ? given.trim() : "";
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  const isUsable =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username + url.password + url.hash === "" &&
    !/\s/.test(text);
  if (isUsable && text !== "") return url.href;
  throw wrongOption(
    "url",
    "must be an http or https address such as https://radio.example/live.mp3, without user name and password.",
  );
}
