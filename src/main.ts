#!/usr/bin/env bun
import { run } from "./cli/program.ts";

const code = await run(process.argv.slice(2), {
  environment: process.env,
  // Not process.stdout: it loads Node's streams and terminal, 5 MB of idle memory.
  out: (line) => console.log(line),
  error: (line) => console.error(line),
});
process.exit(code);
