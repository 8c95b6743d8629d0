import type { User } from "../accounts/users.ts";
import type { WidgetToken } from "../accounts/credential.ts";
import { isLanguage, type Language, LANGUAGES } from "../languages.ts";
import { knownBaseUrl, widgetAddress } from "../addresses.ts";
import { type Command, print, UsageError } from "./command.ts";

import { withWorkspace, type Workspace } from "./workspace.ts";

/** `marquee widget url USER`. */
export function showWidgetUrl(userName: string, language: string): Command {
  const lang = parseLanguage(language);
  return showToken(userName, lang, ({ accounts }, user) => accounts.widgets.tokenOf(user), []);
}

/** `marquee widget rotate USER`. */
export function rotateWidget(userName: string, language: string): Command {
  const lang = parseLanguage(language);
  return showToken(userName, lang, ({ accounts }, user) => accounts.widgets.rotate(user), [
    "The old address no longer works. Put this one into your browser source:",
  ]);
}

function showToken(
  userName: string,
  language: Language,
  tokenOf: (workspace: Workspace, user: User) => Promise<WidgetToken>,
  preface: readonly string[],
): Command {
  return (config, asJson, io) =>
    withWorkspace(config, async (workspace) => {
      const { accounts } = workspace;
      const token = await tokenOf(workspace, await accounts.users.named(userName));
      const url = widgetAddress(await knownBaseUrl(config, accounts), language, token);
      print(io, asJson, [{ widget_token: token, widget_url: url }], [...preface, url]);
    });
}

function parseLanguage(text: string): Language {
  if (isLanguage(text)) return text;
  throw new UsageError(`--lang ${JSON.stringify(text)}: must be one of ${LANGUAGES.join(", ")}.`);
}
