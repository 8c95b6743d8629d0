/** What a guard has found out about a request, for the handler of its route. */
export interface Admitted<Found> {
  note(request: Request, found: Found): void;
  /** @throws when the guard has not run: its route must not answer then */
  of(request: Request): Found;
}

export function createAdmitted<Found>(): Admitted<Found> {
  const admitted = new WeakMap<Request, Found>();
  return {
    note: (request, found) => void admitted.set(request, found),
    of(request) {
      const found = admitted.get(request);
      if (found === undefined) throw new Error("The guard of this route has not run.");
      return found;
    },
  };
}
