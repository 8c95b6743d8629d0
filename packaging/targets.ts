/** A platform that has a release of Marquee. */
export interface Target {
  /** Bun's name for it. */
  readonly bun: string;
  /** How the released file's name ends. */
  readonly suffix: string;
}

export const TARGETS: readonly Target[] = [
  { bun: "bun-linux-x64", suffix: "linux-x64" },
  { bun: "bun-linux-arm64", suffix: "linux-arm64" },
  { bun: "bun-linux-x64-musl", suffix: "linux-x64-musl" },
  { bun: "bun-linux-arm64-musl", suffix: "linux-arm64-musl" },
  { bun: "bun-darwin-x64", suffix: "macos-x64" },
  { bun: "bun-darwin-arm64", suffix: "macos-arm64" },
  { bun: "bun-windows-x64", suffix: "windows-x64.exe" },
];

/** Whether a platform's executables are signed, as macOS requires; `bun` is Bun's name for it. */
export const isForMac = (bun: string): boolean => bun.startsWith("bun-darwin-");

/** A released file's name, such as `marquee-0.1.0-linux-x64`. */
export const releaseName = (version: string, { suffix }: Target): string =>
  `marquee-${version}-${suffix}`;

/** This machine's platform, or `undefined` when Marquee is not released for it. */
export async function hostTarget(): Promise<Target | undefined> {
  // A program for musl names its loader within the first 4,096 bytes.
  const start = await Bun.file(process.execPath).slice(0, 4_096).bytes();
  const isMusl = process.platform === "linux" && Buffer.from(start).includes("/ld-musl-");
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `bun-${system}-${process.arch}${isMusl ? "-musl" : ""}`;
  return TARGETS.find(({ bun }) => bun === name);
}
