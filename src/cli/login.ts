import { SIGN_IN_PURPOSE } from "../accounts/magic-links.ts";
import { knownBaseUrl, signInAddress } from "../addresses.ts";
import { languageOr } from "../languages.ts";
import type { Command } from "./command.ts";
import { forUser } from "./workspace.ts";
import type { Cli } from "./cli.ts";

/** Declares `marquee login`. */
export function declareLogin({ command, runs }: Cli): void {
  runs(
    command("login", "print a link that signs a browser in to the dashboard", [
      "marquee login ada",
    ]).argument("<user>"),
    (name: string) => printSignInLink(name),
  );
}

/** `marquee login USER`: prints a magic link that signs one browser in. */
function printSignInLink(name: string): Command {
  return forUser(name, async ({ config, accounts, user, print }) => {
    const secret = await accounts.magicLinks.issue(user, SIGN_IN_PURPOSE);
    const language = languageOr(user.language, "en");
    const url = signInAddress(await knownBaseUrl(config, accounts), language, secret);
    print(
      [{ url }],
      [
        `Open this in a browser to sign in as ${user.name}. It works once, within half an hour:`,
        `  ${url}`,
      ],
    );
  });
}
