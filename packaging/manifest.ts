/** What a package manager reads to fetch the files of a release and install one of them. */
export interface Manifest {
  /** The name of the package manager. */
  readonly name: string;
  /** The released files that it is about. */
  needs(version: string): readonly string[];
  /** Its texts, by file name. */
  textsFor(release: ManifestedRelease): Readonly<Record<string, string>>;
}

/** One version, and where its files are. */
export interface ManifestedRelease {
  readonly version: string;
  /** The address of the project. */
  readonly homepage: string;
  /** The address of a released file. */
  address(name: string): string;
  /** The SHA-256 of a released file, in hexadecimal digits. */
  sha256(name: string): string;
}

/** One line about Marquee. */
export const SUMMARY = "Now-playing API and stream overlay in one program";
