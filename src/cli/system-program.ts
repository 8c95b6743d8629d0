/** What came of a program of the system. */
export interface SystemProgramEnd {
  /** 127 where the system has no such program. */
  readonly code: number;
  /** What it printed, or the errors where it printed nothing else. */
  readonly out: string;
}

/** Runs a program of the system to its end. Never rejects. */
export type RunSystemProgram = (command: readonly string[]) => Promise<SystemProgramEnd>;

export const runSystemProgram: RunSystemProgram = async (command) => {
  try {
    const child = Bun.spawn([...command], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    const [out, error, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { code, out: out || error };
  } catch (error) {
    return { code: 127, out: error instanceof Error ? error.message : String(error) };
  }
};
