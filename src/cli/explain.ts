import { AccountError } from "../accounts/context.ts";
import { ControlError } from "../control/client.ts";
import { SettingsError } from "../config.ts";
import { DatabaseError, databaseCode } from "../db/errors.ts";
import { explainDatabaseFailure } from "../db/open.ts";
import { describeError, redact } from "../log.ts";
import { ListenError } from "../server.ts";
import { SecretError } from "../vault/vault.ts";
import { AutostartError } from "./autostart/autostart.ts";
import { EXIT, UsageError } from "./command.ts";
import { UnhealthyError } from "./healthcheck.ts";
import { OutputError } from "./output.ts";
import { FolderOwnerError } from "../control/folder-owner.ts";
import { AlreadyRunningError, NotRunningError } from "../control/folder-lock.ts";
import { SignatureError } from "./update/minisign.ts";
import { UpdateError } from "./update/update.ts";

/** What went wrong in sentences for people, and the exit code. */
export function explain(error: unknown): { readonly message: string; readonly code: number } {
  if (
    error instanceof SettingsError ||
    error instanceof UsageError ||
    (error instanceof AccountError && error.isMisuse)
  ) {
    return { message: redact(error.message), code: EXIT.usage };
  }
  return { message: redact(sentenceOf(error)), code: EXIT.failed };
}

function sentenceOf(error: unknown): string {
  if (isExpected(error)) return error.message;
  if (databaseCode(error)) return explainDatabaseFailure(error, "The database").message;
  return `Something unexpected went wrong: ${describeError(error)}`;
}

function isExpected(error: unknown): error is Error {
  return [
    AccountError,
    AlreadyRunningError,
    AutostartError,
    ControlError,
    DatabaseError,
    FolderOwnerError,
    ListenError,
    NotRunningError,
    OutputError,
    SecretError,
    SignatureError,
    UpdateError,
    UnhealthyError,
  ].some((kind) => error instanceof kind);
}
