import type { ReaderProcess } from "./reader-process.ts";

export interface MediaSessionSettings {
  /** Only players with this in their name; empty for all but browsers. */
  readonly player: string;
}

/** A system with media sessions, as a source. */
export interface MediaSessionKind {
  readonly id: "windows" | "macos";
  readonly name: string;
  /** As Bun names it. */
  readonly platform: "win32" | "darwin";
}

export interface MediaSessionDeps {
  /** The process that reads the sessions, which all connections share; its code is loaded now. */
  reader(): Promise<ReaderProcess>;
}
