/** A platform that has a release of Marquee. */
export interface Target {
  /** Bun's name for it. */
  readonly bun: string;
  /** How the released file's name ends. */
  readonly suffix: string;
  /** Bun's own program, which gets Marquee's name before anything is compiled into it. */
  readonly template?: Template;
}

export interface Template {
  /** Its file's name in Bun's cache, before the version. */
  readonly name: string;
  readonly sha256: string;
}

export const TARGETS: readonly Target[] = [
  { bun: "bun-linux-x64", suffix: "linux-x64" },
  { bun: "bun-linux-arm64", suffix: "linux-arm64" },
  { bun: "bun-linux-x64-musl", suffix: "linux-x64-musl" },
  { bun: "bun-linux-arm64-musl", suffix: "linux-arm64-musl" },
  { bun: "bun-darwin-x64", suffix: "macos-x64" },
  { bun: "bun-darwin-arm64", suffix: "macos-arm64" },
  {
    bun: "bun-windows-x64",
    suffix: "windows-x64.exe",
    template: {
      name: "bun-windows-x64",
      sha256: "e06ad0864463c68892ae71a2a64af7eae1585cac5dd9b80bc042f45605587cb1",
    },
  },
  {
    bun: "bun-windows-arm64",
    suffix: "windows-arm64.exe",
    template: {
      name: "bun-windows-aarch64",
      sha256: "8bd7f9210f9d58cc21f398d1478e53b2ff919a0c8fc935b5086f3f64667cec6d",
    },
  },
];

/** Whether a platform's executables are signed, as macOS requires; `bun` is Bun's name for it. */
export const isForMac = (bun: string): boolean => bun.startsWith("bun-darwin-");

/** Bun's own program for a platform, where it gets another name; `bun` is Bun's name for it. */
export const templateOf = (bun: string | undefined): Template | undefined =>
  TARGETS.find((target) => target.bun === bun)?.template;

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
