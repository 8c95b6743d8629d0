#!/usr/bin/env bun
import { startAnew, wouldSendReports } from "./crash-reports.ts";
import { COPY_COMMAND } from "./db/copy-command.ts";
import { isMiscompiled, ownCommand } from "./own-program.ts";
import { READER_COMMAND } from "./sources/kinds/media-session/reader-command.ts";

const words = process.argv.slice(2);
if (isMiscompiled() || wouldSendReports(process.platform, process.env)) {
  await startAnew(ownCommand(...words), process.platform, process.env);
}
// The reader of Windows' media sessions does without the rest of the program.
if (words[0] === READER_COMMAND) {
  const { runReader } = await import("./sources/kinds/media-session/windows/main.ts");
  await runReader();
}
if (words[0] === COPY_COMMAND) {
  const { copyDatabase } = await import("./db/copy.ts");
  const [, from = "", to = ""] = words;
  copyDatabase(from, to);
  process.exit(0);
}
const { run } = await import("./cli/run.ts");
const { writeLine } = await import("./cli/output.ts");
const code = await run(words, {
  environment: process.env,
  out: (line) => writeLine(1, line),
  error(line) {
    try {
      writeLine(2, line);
    } catch {
      // No output is left to report this error.
    }
  },
});
process.exit(code);
