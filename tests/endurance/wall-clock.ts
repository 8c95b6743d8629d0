import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** The wall clock of a program that is started with `environment`. */
export interface WallClock {
  readonly environment: Readonly<Record<string, string>>;
  /** Sets it to so many seconds after the right time, while the program runs. */
  set(secondsAhead: number): void;
}

/** With libfaketime, which leaves the monotonic clock alone. `undefined` where it is missing. */
export function createWallClock(folder: string): WallClock | undefined {
  const libraries = new Bun.Glob("*/faketime/libfaketimeMT.so.1");
  const [library] = libraries.scanSync({ cwd: "/usr/lib", absolute: true });
  if (library === undefined) return undefined;
  const file = join(folder, "wall-clock");
  const set = (secondsAhead: number) =>
    writeFileSync(file, `${secondsAhead < 0 ? "" : "+"}${secondsAhead}`);
  set(0);
  const environment = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
  return { environment, set };
}
