/** Where a message stands in the tree of its conversation. */
export interface Place {
  id: string;
  /** null for a first message. */
  parentId: string | null;
  /** How many messages stand above it. */
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

/** A place that says how long the messages down to it are together, in UTF-8 bytes. */
export type MeasuredPlace = Place & { pathLength?: number | undefined };

/** The last places of a path, at most `limit`, whose messages are at most so long together, but always one. */
export function lastWithin<P extends MeasuredPlace>(
  path: readonly P[],
  { limit, maxBytes }: { limit: number; maxBytes: number },
): P[] {
  const lengthDownTo = (at: number): number =>
    at < 0 ? 0 : (path[at]?.pathLength ?? lengthDownTo(at - 1));
  const whole = lengthDownTo(path.length - 1);
  const last = path.slice(-limit);
  const skipped = path.length - last.length;
  return last.filter(
    (_, at) => at === last.length - 1 || whole - lengthDownTo(skipped + at - 1) <= maxBytes,
  );
}

/** Whether a path of at most `limit` messages lacks none: it is full, or it begins with a first message. */
export const isWhole = (path: readonly Place[], limit: number): boolean =>
  path.length === limit || path[0]?.parentId === null;

/** The messages with the same parent, itself included, in the order of their creation. `places` holds its whole level. */
export const siblingIdsOf = (place: Place, places: readonly Place[]): string[] =>
  places
    .filter(({ depth, parentId }) => depth === place.depth && parentId === place.parentId)
    .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
    .map(({ id }) => id);
