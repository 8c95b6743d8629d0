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

/** The same for what is made at once, such as prepared queries: to build one takes longer than to run it. */
export function lazily<Made extends NonNullable<unknown>>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}

/** What is made of an object, kept while the object lives: the same ones are asked for often. */
export function oncePerObject<From extends object, Made>(
  make: (from: From) => Made,
): (from: From) => Made {
  const made = new WeakMap<From, Made>();
  return (from) => {
    const known = made.get(from);
    if (known !== undefined) return known;
    const fresh = make(from);
    made.set(from, fresh);
    return fresh;
  };
}
