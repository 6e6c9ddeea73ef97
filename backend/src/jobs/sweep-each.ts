/**
 * Calls `work` for each item of a sweep. A failed item does not stop the others and is left to the next sweep.
 * @throws AggregateError after the last item, naming the failed ones; the worker logs it with the name of the sweep
 */
export async function sweepEach<Item extends string | object>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const errors: Error[] = [];
  for await (const item of items)
    try {
      await work(item);
    } catch (cause) {
      errors.push(new Error(`An item of a sweep failed: ${nameOf(item)}`, { cause }));
    }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} items have failed`);
}

/** The ids of an item: the log must contain no other data of it. */
const nameOf = (item: string | object): string =>
  typeof item === 'string'
    ? item
    : Object.entries(item)
        .filter(([key, value]) => /id$/i.test(key) && typeof value === 'string')
        .map(([key, value]) => `${key} ${value}`)
        .join(', ');
