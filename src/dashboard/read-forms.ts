/** Of one user. Each may take a megabyte, and need never come whole. */
const MOST_AT_ONCE = 10;

/** Reads what users send, only so many forms of each at once; `undefined` for one more. */
export function createFormReader() {
  const beingRead = new Map<number, number>();
  const count = (userId: number, change: number) => {
    const forms = (beingRead.get(userId) ?? 0) + change;
    if (forms === 0) beingRead.delete(userId);
    else beingRead.set(userId, forms);
  };
  return async (request: Request, userId: number): Promise<FormData | undefined> => {
    if (beingRead.get(userId) === MOST_AT_ONCE) return undefined;
    count(userId, 1);
    try {
      return await request.formData();
    } catch {
      return new FormData();
    } finally {
      count(userId, -1);
    }
  };
}
