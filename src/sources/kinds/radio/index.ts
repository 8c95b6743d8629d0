import { LONGEST_ADDRESS } from "../../../text-limits.ts";
import { withMeanings } from "../../answer-failure.ts";
import { DELAY_OPTION, delayed } from "../../delay.ts";
import { addressOf } from "../../entered-server.ts";
import { defineSource, type Source } from "../../source.ts";
import { mayBeEnteredByAll, RADIO, parseStreamUrl, type RadioDeps } from "./settings.ts";

/** An internet radio, by the address that its listeners open. */

export const createRadio = (deps: RadioDeps): Source =>
  defineSource({
    ...RADIO,
    delivery: "streamed",
    facts: {
      runs: "service",
      delayMs: 3_000,
      calls: ["entered"],
    },
    options: {
      url: {
        placeholder: "https://host/stream",
        help: "The radio's address, or that of its playlist.",
        longest: LONGEST_ADDRESS,
        allowed:
          "an http or https address such as https://radio.example/live.mp3, without user name and password",
        parse: parseStreamUrl,
      },
      delay: DELAY_OPTION,
    },
    // What is public and encrypted may be entered by everybody.
    addressOf: (settings) =>
      mayBeEnteredByAll(new URL(settings.url)) ? undefined : addressOf(settings),
    watch: (settings, context) =>
      delayed(
        (signal) =>
          withMeanings(RADIO.name, signal, async () => {
            const { listen } = await import("./listen.ts");
            return listen(settings, deps, { ...context, signal });
          }),
        settings,
        context,
      ),
  });
