/** What a guard has found out about a request, for the handler of its route. */
export function createAdmitted<Found>() {
  // On the request itself: a WeakMap would take as long as all else that a guard does.
  const key = Symbol("admitted");
  const noted = (request: Request) => request as Request & { [key]?: Found };
  return {
    note(request: Request, found: Found) {
      noted(request)[key] = found;
    },
    /** @throws when the guard has not run: its route must not answer then */
    of(request: Request): Found {
      const found = noted(request)[key];
      if (found === undefined) throw new Error("The guard of this route has not run.");
      return found;
    },
  };
}
