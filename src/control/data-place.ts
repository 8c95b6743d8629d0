import { lstatSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { type ResolvedConfig, resolveConfig, settings } from "../config.ts";
import { DATABASE_FILE, isThere } from "../db/data-folder.ts";
import { isForeign } from "../own-file.ts";
import { isFromSource } from "../own-program.ts";
import { isUnattended } from "./logged-output.ts";
import { CommandError } from "./execution.ts";

/** What decides where the data are when no setting says it. */
export interface PlaceFacts {
  /** As `process.platform` names it. */
  readonly platform: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder of the executable; `undefined` when the sources run. */
  readonly programFolder: string | undefined;
  /** Whether nobody reads the output: a desktop or a service manager has started the program. */
  isUnattended(): boolean;
  /** Whether a folder holds a database. */
  holdsData(folder: string): boolean;
}

/** Why the data are where they are, as `config` shows it. */
const PLACES = ["here", "beside the program", "the user's folder"] as const;

export interface DataPlace {
  readonly folder: string;
  readonly place: (typeof PLACES)[number] | "default";
}

const HERE = settings.data.fallback;

/**
 * Where the data are: data that exist win, in the current folder, beside the program, then in the
 * user's folder. A first start uses the user's folder, but on Linux only where the program is
 * installed or nobody reads its output: `./marquee` in a terminal keeps its data in that folder.
 */
export function findDataPlace(facts: PlaceFacts): DataPlace {
  const { programFolder, platform, environment } = facts;
  if (programFolder === undefined) return { folder: HERE, place: "default" };
  const places = placesOf(facts);
  const found = places.find(({ folder }) => facts.holdsData(folder));
  if (found) return found;
  const users = places.find(({ place }) => place === "the user's folder");
  const isAtHome =
    platform !== "linux" || isInPath(programFolder, environment["PATH"]) || facts.isUnattended();
  return users && isAtHome ? users : { folder: HERE, place: "here" };
}

/** The places where data may be, in the order in which they are looked for. */
export function placesOf({ programFolder, platform, environment }: PlaceFacts): DataPlace[] {
  const users = usersFolder(platform, environment);
  return [
    { folder: HERE, place: "here" },
    ...(programFolder === undefined
      ? []
      : [{ folder: join(programFolder, basename(HERE)), place: "beside the program" } as const]),
    ...(users === undefined ? [] : [{ folder: users, place: "the user's folder" } as const]),
  ];
}

/** The folder where a user's programs keep their data; `undefined` for a user without a home. */
function usersFolder(platform: string, environment: PlaceFacts["environment"]): string | undefined {
  // A relative path would be another folder in each start.
  const folderIn = (name: string) => {
    const path = environment[name] ?? "";
    return isAbsolute(path) ? path : undefined;
  };
  if (platform === "win32") {
    const profile = folderIn("USERPROFILE");
    const local = folderIn("LOCALAPPDATA") ?? (profile && join(profile, "AppData", "Local"));
    return local && join(local, "Marquee");
  }
  const home = folderIn("HOME");
  if (platform === "darwin") return home && join(home, "Library", "Application Support", "Marquee");
  const data = folderIn("XDG_DATA_HOME") ?? (home && join(home, ".local", "share"));
  return data && join(data, "marquee");
}

const isInPath = (folder: string, path = ""): boolean =>
  path.split(delimiter).some((entry) => entry !== "" && resolve(entry) === resolve(folder));

/** What is so on this machine. */
export const placeFactsHere = (environment: PlaceFacts["environment"]): PlaceFacts => ({
  platform: process.platform,
  environment,
  programFolder: isFromSource() ? undefined : dirname(process.execPath),
  isUnattended: () => isUnattended(environment),
  holdsData: (folder) => isThere(join(folder, DATABASE_FILE)),
});

/**
 * Refuses a folder that another user has put where this one starts Marquee: nobody has named it.
 * Root becomes its owner instead.
 */
function refuseForeignPlace(folder: string): void {
  if (process.geteuid?.() === 0) return;
  const found = [lstatSync, statSync].map((read) => read(folder, { throwIfNoEntry: false }));
  const foreign = found.find((stats) => stats && isForeign(stats, folder));
  if (!foreign) return;
  throw new CommandError(
    `${resolve(folder)} belongs to another user (${foreign.uid}), so it is not used. Start Marquee in another folder, or name this one with --data if you trust that user.`,
  );
}

/**
 * Every setting, with the data folder where it is.
 * @throws {SettingsError} that lists all mistakes
 * @throws {CommandError} when the folder was found, and belongs to another user
 */
export function resolveSettings(
  flags: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): ResolvedConfig {
  const resolved = resolveConfig(flags, environment);
  if (resolved.origins.data !== "default") return resolved;
  const { folder, place } = findDataPlace(placeFactsHere(environment));
  refuseForeignPlace(folder);
  return {
    ...resolved,
    config: { ...resolved.config, data: folder },
    origins: { ...resolved.origins, data: place },
  };
}
