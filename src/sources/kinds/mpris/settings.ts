import type { Covers } from "../../../upstream/covers.ts";

export interface MprisSettings {
  /** Only players with this name; empty for all of them. */
  readonly player: string;
}

export interface MprisDeps {
  readonly covers: Pick<Covers, "named">;
  /** The address of the session bus. */
  readonly busAddress: string;
}
