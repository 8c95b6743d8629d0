import { demo } from "./demo.ts";
import { mpd } from "./mpd.ts";
import type { AnySource } from "./source.ts";

/** Every source there is. */
export const sources: readonly AnySource[] = [demo, mpd];

export const sourceById = (id: string): AnySource | undefined =>
  sources.find((source) => source.id === id);
