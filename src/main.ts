#!/usr/bin/env bun
import { run } from "./cli/run.ts";
import { writeLine } from "./cli/output.ts";

const code = await run(process.argv.slice(2), {
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
