#!/usr/bin/env bun
import { run } from "./cli/program.ts";
import { writeLine } from "./cli/output.ts";

const code = await run(process.argv.slice(2), {
  environment: process.env,
  out: (line) => writeLine(1, line),
  error(line) {
    try {
      writeLine(2, line);
    } catch {
      // There is nowhere left to say so.
    }
  },
});
process.exit(code);
