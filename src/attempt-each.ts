/**
 * Does the same for each, one after the other. One that fails does not keep it from the others.
 * @throws the first error, after all had their turn
 */
export async function attemptEach<Item>(
  items: Iterable<Item>,
  work: (item: Item) => unknown,
): Promise<void> {
  const errors: unknown[] = [];
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
