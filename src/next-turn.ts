/** Resolves in the next turn of the event loop: requests that came in meanwhile are answered first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
