/** Runs `work` on a partition of a task unless another worker does; then it returns null. */
export type OnPartition = <T>(partition: string, work: () => Promise<T>) => Promise<T | null>;

/** Groups ids by their partition, in random order, so that workers begin with different ones. */
export function inPartitions(
  ids: readonly string[],
  partitionOf: (id: string) => string,
): [partition: string, ids: string[]][] {
  const groups = new Map<string, string[]>();
  for (const id of ids) {
    const partition = partitionOf(id);
    groups.set(partition, [...(groups.get(partition) ?? []), id]);
  }
  return [...groups]
    .map((group) => ({ group, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ group }) => group);
}
