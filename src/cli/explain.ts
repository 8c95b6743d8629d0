import { flagOf, SettingsError } from "../config.ts";
import { DatabaseError, databaseCode } from "../db/errors.ts";
import { explainDatabaseFailure } from "../db/open.ts";
import { meaningOf } from "../error-code.ts";
import { describeError, redact } from "../log.ts";
import { ListenError } from "../server.ts";
import { SecretError } from "../vault/vault.ts";
import { WrongInput } from "../i18n/entered.ts";
import { languages } from "../i18n/index.ts";
import { type Reason, Refused } from "../i18n/refused.ts";
import { fieldWord, wordOf } from "./input-words.ts";
import { CommandError, EXIT, UsageError } from "../control/execution.ts";

/** What went wrong in sentences for people, and the exit code. */
export function explain(error: unknown): { readonly message: string; readonly code: number } {
  if (error instanceof Refused) {
    return { message: redact(refusalOf(error)), code: error.isMisuse ? EXIT.usage : EXIT.failed };
  }
  if (error instanceof SettingsError || error instanceof UsageError) {
    return { message: redact(error.message), code: EXIT.usage };
  }
  return { message: redact(sentenceOf(error)), code: EXIT.failed };
}

const HOW_TO_ALLOW = `The setting for that is ${flagOf("playerHosts")}.`;
/** What commands say besides the reason. Pages leave settings to the documentation. */
const ADVICE: { readonly [Because in Reason]?: string } = {
  "connection.host": HOW_TO_ALLOW,
  "hook.unlisted": HOW_TO_ALLOW,
  "hook.overHttp": HOW_TO_ALLOW,
  "look.noLook": '"marquee look make --help" lists the looks that come with Marquee.',
};

function refusalOf(error: Refused): string {
  const { field } = error;
  if (error instanceof WrongInput) {
    return `${wordOf(error.field, error.input)} must be ${error.input.allowed}.`;
  }
  const text = [error.text(languages.en), ADVICE[error.reason] ?? []].flat().join(" ");
  return field !== undefined && error.reason.startsWith("entered.")
    ? `${fieldWord(field)} was refused. ${text}`
    : text;
}

function sentenceOf(error: unknown): string {
  if (isExpected(error)) return error.message;
  if (databaseCode(error).startsWith("SQLITE_")) {
    return explainDatabaseFailure(error, "The database").message;
  }
  return explainPlace(error) ?? `Something unexpected went wrong: ${describeError(error)}`;
}

/** What is wrong with a file or folder, if that is what the system complains about. */
function explainPlace(error: unknown): string | undefined {
  const meaning = meaningOf(error);
  if (meaning === undefined || !(error instanceof Error)) return undefined;
  // A file that is moved has both, and its destination is what is rarely ours.
  const place = "dest" in error ? error.dest : "path" in error ? error.path : undefined;
  return typeof place === "string" ? `${place} cannot be used: ${meaning}.` : undefined;
}

function isExpected(error: unknown): error is Error {
  return [CommandError, DatabaseError, ListenError, SecretError].some(
    (kind) => error instanceof kind,
  );
}
