/** An executable did not do what it should. */
export class TryOutError extends Error {
  override readonly name = "TryOutError";
}

/** A started program; `what` names its task in the error message. */
export interface Running {
  /** Reads its first line of JSON: the text values by name. @throws {TryOutError} without one */
  said(what: string): Promise<(name: string) => string>;
  /** @throws {TryOutError} when its exit code is not 0, or it takes too long */
  ended(what: string): Promise<void>;
  kill(signal: "SIGTERM" | "SIGINT" | "SIGKILL"): void;
}

/** Starts a program that speaks JSON, a line each; `withinMs` is for each step. */
export function startProgram(
  command: readonly string[],
  options: {
    readonly folder: string;
    readonly environment: Readonly<Record<string, string>>;
    readonly withinMs: number;
  },
): Running {
  // The executable must not get the Marquee settings of the user who runs this.
  const surroundings = Object.entries(process.env).filter(
    ([name]) => !/^(MARQUEE_|BUN_|STATE_DIRECTORY$|NODE_ENV$)/.test(name),
  );
  const child = Bun.spawn([...command], {
    cwd: options.folder,
    env: { ...Object.fromEntries(surroundings), ...options.environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let out = "";
  let errors = "";
  const lastError = () => errors.trim().split("\n").at(-1) ?? "";
  const firstLine = Promise.withResolvers<string | undefined>();
  const reading = Promise.all([
    collect(child.stdout, (text) => {
      out += text;
      const end = out.indexOf("\n");
      if (end !== -1) firstLine.resolve(out.slice(0, end));
    }),
    collect(child.stderr, (text) => {
      errors += text;
    }),
  ]).then(() => firstLine.resolve(undefined));

  /** @throws {TryOutError} when the promise takes too long; the program is then ended too */
  const inTime = async <Value>(promise: Promise<Value>, what: string): Promise<Value> => {
    let timer: Timer | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        child.kill("SIGKILL");
        reject(new TryOutError(`${what} took longer than ${options.withinMs / 1_000} s`));
      }, options.withinMs);
    });
    try {
      return await Promise.race([promise, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    async said(what) {
      const line = await inTime(firstLine.promise, what);
      if (line === undefined) {
        throw new TryOutError(`${what} ended without a word: ${lastError()}`);
      }
      return textsOf(line, what);
    },
    async ended(what) {
      const code = await inTime(child.exited, what);
      if (code === 0) return;
      // Waits for its last output, but not for long: other processes may keep its pipes open.
      await Promise.race([reading, Bun.sleep(100)]);
      throw new TryOutError(`${what} ended with ${code}: ${lastError()}`);
    },
    kill: (signal) => child.kill(signal),
  };
}

async function collect(stream: ReadableStream<Uint8Array>, take: (text: string) => void) {
  const decoder = new TextDecoder();
  for await (const bytes of stream) take(decoder.decode(bytes, { stream: true }));
}

/** @throws {TryOutError} when the line is not JSON */
function textsOf(line: string, what: string): (name: string) => string {
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    throw new TryOutError(`${what} printed no JSON: ${line}`);
  }
  const values = new Map(Object.entries(Object(said)));
  return (name) => {
    const value = values.get(name);
    if (typeof value !== "string") throw new TryOutError(`${what} printed no ${name}`);
    return value;
  };
}
