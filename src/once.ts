/**
 * Makes something when it is first used, so that a server that does not use it saves the memory. If
 * that fails, it is tried again at the next use.
 */
export function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
