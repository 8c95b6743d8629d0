/** Starts the reader of Windows' media sessions: the program's hidden command. */
import { writeSync } from "node:fs";
import { createRuntime, explain, loadCombase } from "./runtime.ts";
import { readSessions } from "./reader.ts";

/** Runs until its standard input ends, which it does with the server. */
export async function runReader(): Promise<never> {
  const clock = {
    wallMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    pause: (ms: number) => Bun.sleep(ms),
  };
  const write = (line: string) => void writeSync(1, `${line}\n`);
  void endWithInput();
  try {
    const runtime = createRuntime({ combase: loadCombase(), clock });
    return await readSessions({ runtime, clock, write });
  } catch (error) {
    try {
      write(JSON.stringify({ failed: explain(error) }));
    } catch {
      // The server is gone.
    }
    return process.exit(1);
  }
}

async function endWithInput(): Promise<void> {
  try {
    for await (const _ of Bun.stdin.stream());
  } finally {
    process.exit(0);
  }
}
