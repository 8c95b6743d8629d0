import packageJson from "../package.json";

/** The product's version, as released. */
export const VERSION: string = packageJson.version;

/** The command that runs the sources with the project's version of Bun. */
export const RUN_FROM_SOURCE = `npx -y ${packageJson.packageManager} start`;

/** The build replaces it with the commit. When run from source, the variable does not exist. */
declare const BUILD_COMMIT: string | undefined;

/** What `--version` prints: the release, its commit and the version of Bun. */
export const VERSION_LINE = `marquee ${VERSION} (${
  typeof BUILD_COMMIT === "undefined" ? "from source" : BUILD_COMMIT
}, Bun ${Bun.version})`;
