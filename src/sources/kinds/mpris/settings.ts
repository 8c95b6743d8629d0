import type { Upstream } from "../../../upstream/index.ts";

export interface MprisSettings {
  /** Only players with this name; empty for all of them. */
  readonly player: string;
}

export interface MprisDeps {
  /** For covers on the web. */
  readonly upstream: Upstream;
  /** The address of the session bus. */
  readonly busAddress: string;
}
