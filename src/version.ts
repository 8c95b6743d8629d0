import packageJson from "../package.json";

/** The product's version, as released. */
export const VERSION: string = packageJson.version;

/** Runs the sources with the Bun that the project names. */
export const RUN_FROM_SOURCE = `npx -y ${packageJson.packageManager} start`;

/** The compiler puts the commit in its place; run from source, there is no such variable. */
declare const BUILD_COMMIT: string | undefined;

/** What `--version` says: which release, of which commit, on which Bun. */
export const VERSION_LINE = `marquee ${VERSION} (${
  typeof BUILD_COMMIT === "undefined" ? "from source" : BUILD_COMMIT
}, Bun ${Bun.version})`;
