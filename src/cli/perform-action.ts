import type { AnyAction, Call, OwnersCall, Texts } from "../actions/action.ts";
import { perform } from "../actions/run.ts";
import type { Notice } from "../html/notices.ts";
import { languages } from "../i18n/index.ts";
import { CommandError, type Execution, table } from "../control/execution.ts";

/** Carries an action out for a command, and prints what comes of it. */
export async function performAction(
  action: AnyAction,
  texts: Texts,
  execution: Execution,
): Promise<void> {
  const ownersCall: OwnersCall = {
    ...execution,
    actor: "operator",
    language: "en",
    remark: execution.note,
  };
  const show = (result: unknown) => {
    const documents = action.documents(result);
    if ("table" in action) return execution.print(documents, table(action.table(result)));
    const notice = action.notice(languages.en, result, "en");
    const lines = action.lines?.(result) ?? linesOf(notice);
    if (notice.tone !== "bad") return execution.print(documents, lines);
    execution.print(documents, []);
    throw new CommandError(lines.join("\n"));
  };
  if (action.who === "owner") return show(await perform(action, ownersCall, texts));
  const call: Call = {
    ...ownersCall,
    user: execution.accounts.users.named(String(texts["user"])),
  };
  const result = await perform(action, call, texts);
  show(result);
  if (action.wait) show(await action.wait(call, result));
}

const linesOf = ({ text, shownOnce = [] }: Notice): readonly string[] => [
  text,
  ...shownOnce.flatMap(({ label, value }) => [`${label}:`, `  ${value}`]),
];
