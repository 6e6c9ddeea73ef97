/** The position of a message in the tree of its conversation. */
export interface Place {
  id: string;
  /** null for a first message. */
  parentId: string | null;
  /** The number of messages above it. */
  depth: number;
  createdAt: Date;
}

/** The messages from `leafId` upwards, oldest first: at most `limit`, and only while they are among `places`. */
export function walkUp<P extends Place>(
  places: readonly P[],
  { leafId, limit }: { leafId: string; limit: number },
): P[] {
  const byId = new Map(places.map((place) => [place.id, place]));
  const path: P[] = [];
  let next: string | null = leafId;
  while (next !== null && path.length < limit) {
    const place = byId.get(next);
    if (!place) break;
    path.push(place);
    next = place.parentId;
  }
  return path.toReversed();
}

/** A place with the length of all messages from the root to it, in UTF-8 bytes. */
export type MeasuredPlace = Place & { pathLength?: number | undefined };

/** The last places of a path, at most `limit`, with at most `maxBytes` of messages, but at least one. */
export function lastWithin<P extends MeasuredPlace>(
  path: readonly P[],
  { limit, maxBytes }: { limit: number; maxBytes: number },
): P[] {
  const lengthDownTo = (at: number): number =>
    at < 0 ? 0 : (path[at]?.pathLength ?? lengthDownTo(at - 1));
  const total = lengthDownTo(path.length - 1);
  const last = path.slice(-limit);
  const skipped = path.length - last.length;
  return last.filter(
    (_, at) => at === last.length - 1 || total - lengthDownTo(skipped + at - 1) <= maxBytes,
  );
}

/** Whether a path of at most `limit` messages is complete: it is full, or it begins with a first message. */
export const isComplete = (path: readonly Place[], limit: number): boolean =>
  path.length === limit || path[0]?.parentId === null;

/** The ids of the siblings, itself included, in order of creation. `places` holds all places of its level. */
export const siblingIdsOf = (place: Place, places: readonly Place[]): string[] =>
  places
    .filter(({ depth, parentId }) => depth === place.depth && parentId === place.parentId)
    .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
    .map(({ id }) => id);

/** Later than every other message of the conversation, even with clock differences between web processes. */
export function nextTime({ updatedAt }: { updatedAt: Date }, siblings: Place[], now: Date): Date {
  const last = Math.max(updatedAt.getTime(), siblings.at(-1)?.createdAt.getTime() ?? 0);
  return new Date(Math.max(now.getTime(), last + 1));
}

/** The ids of siblings, with the id of a message that may have been created after they were read. */
export const withId = (siblings: Place[], id: string): string[] => [
  ...new Set([...siblings.map((sibling) => sibling.id), id]),
];
