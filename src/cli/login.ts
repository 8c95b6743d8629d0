import { SIGN_IN_PURPOSE } from "../accounts/magic-links.ts";
import { dashboardAddress, signInAddress } from "../addresses.ts";
import { languageOr } from "../languages.ts";
import { type Command, type Execution, forUser } from "./command.ts";
import type { Cli, Syntax } from "./cli.ts";

/** Declares `marquee login`. */
export function declareLogin<Target extends Syntax>({ command, carriesOut }: Cli<Target>): void {
  carriesOut(
    command("login", "print a link that signs a browser in to the dashboard", [
      "marquee login ada",
    ]).argument("<user>"),
    (name: string) => printSignInLink(name),
  );
}

/** `marquee login USER`: prints a magic link that signs one browser in. */
function printSignInLink(name: string): Command {
  return forUser(name, async ({ accounts, baseUrl, user, print }) => {
    const secret = accounts.magicLinks.issue(user, SIGN_IN_PURPOSE);
    const language = languageOr(user.language, "en");
    const url = signInAddress(baseUrl, language, secret);
    print(
      [{ url }],
      [
        `Open this in a browser to sign in as ${user.name}. It works once, within half an hour:`,
        `  ${url}`,
      ],
    );
  });
}

/** Prints a link that signs the owner in, or the dashboard's address where there is no owner. */
export async function printOwnersLink({ accounts, baseUrl, print }: Execution): Promise<void> {
  const owner = accounts.users.owner();
  const url = owner
    ? signInAddress(
        baseUrl,
        languageOr(owner.language, "en"),
        accounts.magicLinks.issue(owner, SIGN_IN_PURPOSE),
      )
    : dashboardAddress(baseUrl, "en");
  print([{ url }], [url]);
}
