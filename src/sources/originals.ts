/** Covers as sources read them, kept until somebody draws them. */
export interface Originals {
  keep(key: string, bytes: Uint8Array): void;
  /** Hands a cover over and forgets it; `undefined` when it is not here (any more). */
  take(key: string): Uint8Array | undefined;
}

/** @param mostBytes what they may take together; who has waited longest makes room */
export function createOriginals(mostBytes: number): Originals {
  const kept = new Map<string, Uint8Array>();
  let keptBytes = 0;

  const take = (key: string) => {
    const bytes = kept.get(key);
    kept.delete(key);
    keptBytes -= bytes?.length ?? 0;
    return bytes;
  };

  return {
    take,
    keep(key, bytes) {
      take(key);
      kept.set(key, bytes);
      keptBytes += bytes.length;
      for (const oldest of kept.keys()) {
        if (keptBytes <= mostBytes) break;
        take(oldest);
      }
    },
  };
}
