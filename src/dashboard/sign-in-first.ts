import { pageAddress } from "../addresses.ts";
import type { Language } from "../languages.ts";
import { publicCommand } from "../typed-command.ts";

/** What a page says to who is not signed in. */
export async function signInFirst(language: Language, basePath: string): Promise<Response> {
  const { languages } = await import("../i18n/index.ts");
  const { messagePage } = await import("../html/message-page.tsx");
  const { neededTitle: title, neededText: lead, how: label } = languages[language].signIn;
  const again = { path: pageAddress(basePath, language, "sign-in"), label };
  const command = `${publicCommand()} open`;
  return messagePage({ language, basePath, title, lead, command, status: 401, again });
}
