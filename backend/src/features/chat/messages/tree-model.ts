import { recordsBy } from '../../../db/records.ts';
import type { MessageDocument, MessageModel } from './model.ts';
import {
  type MessageRecord,
  messagesIn,
  type ReplyRecord,
  repliesIn,
  type Scope,
} from './record.ts';
import {
  isComplete,
  lastWithin,
  type MeasuredPlace,
  type Place,
  siblingIdsOf,
  walkUp,
} from './tree.ts';

/** A message on a path, with its siblings (itself included) in order of creation. */
export interface PathEntry {
  record: MessageRecord;
  siblingIds: string[];
}

/** The places of a conversation's deepest messages, read before the end of a path is known. */
export interface Deepest {
  places: MeasuredPlace[];
  /** All messages at this depth or below are included. */
  completeFrom: number;
}

interface DeepestWanted {
  limit: number;
  maxDepth?: number;
}

interface PathEnd {
  leafId: string;
  limit: number;
  deepest: Deepest;
  /** Approximate UTF-8 bytes of the messages. */
  maxBytes?: number;
}

type PartialScope = Pick<Scope, 'conversationId'> & Partial<Scope>;

const PLACE = { parentId: 1, depth: 1, createdAt: 1 } as const;

const MEASURED = { ...PLACE, pathLength: 1 } as const;
/** What a prompt has of a message above the texts that fit, and of the others. */
const FILES = {
  ...MEASURED,
  conversationId: 1,
  ownerId: 1,
  role: 1,
  'metadata.files.id': 1,
} as const;
const TEXTS = { ...FILES, content: 1, parts: 1, deltas: 1 } as const;

const toPlace = ({
  _id,
  parentId,
  depth,
  createdAt,
  pathLength,
}: MessageDocument): MeasuredPlace => ({
  id: String(_id),
  parentId: parentId ? String(parentId) : null,
  depth: depth ?? 0,
  createdAt,
  ...(pathLength != null && { pathLength }),
});

const placesIn = recordsBy(toPlace);

const WITHOUT_OUTBOX = { projection: { outbox: 0 } } as const;

const within = ({ conversationId, ownerId }: PartialScope) => ({
  conversationId,
  ...(ownerId && { ownerId }),
});

/** Reads the tree of a conversation's messages. The cost of a read depends on its result, not on the size of the conversation. */
export type MessageTree = ReturnType<typeof createMessageTree>;

export const createMessageTree = (model: MessageModel) => ({
  ...recordStore(model),
  ...pathStore(model),
  ...placeStore(model),
  ...removalStore(model),
});

const readRecords = (model: MessageModel, filter: object): Promise<MessageRecord[]> =>
  messagesIn(model).find(filter, WITHOUT_OUTBOX);

const readPlaces = (
  model: MessageModel,
  filter: object,
  projection: object = PLACE,
): Promise<MeasuredPlace[]> => placesIn(model).find(filter, { projection });

function recordStore(model: MessageModel) {
  return {
    find: async (id: string, scope: Scope): Promise<MessageRecord | null> =>
      (await readRecords(model, { ...within(scope), _id: id }))[0] ?? null,

    /** A reply of any conversation: who may see it is decided by that. */
    findReply: (id: string): Promise<ReplyRecord | null> =>
      repliesIn(model).findOne({ _id: id, role: 'assistant' }),

    /** The queued or streaming reply of the conversation. */
    activeReply: ({ conversationId, ownerId }: Scope): Promise<ReplyRecord | null> =>
      repliesIn(model).findOne({ conversationId, ownerId, active: true }),

    /** The given messages that exist in the conversation, in the order of `ids`. */
    findMany: async (ids: readonly string[], scope: Scope): Promise<MessageRecord[]> => {
      const records = await readRecords(model, { ...within(scope), _id: { $in: ids } });
      const byId = new Map(records.map((record) => [record.id, record]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },

    tip: (scope: PartialScope, limit: number): Promise<MessageRecord[]> =>
      messagesIn(model).find(within(scope), { ...WITHOUT_OUTBOX, sort: { depth: -1 }, limit }),

    /** The queued or streaming reply of the conversation. */
    activeReplyId: async ({ conversationId, ownerId }: Scope): Promise<string | null> => {
      const doc = await model.exists({ conversationId, ownerId, active: true });
      return doc && String(doc._id);
    },
  };
}

const readDeepest = async (
  model: MessageModel,
  scope: PartialScope,
  { limit, maxDepth }: DeepestWanted,
): Promise<Deepest> => {
  const places = await placesIn(model).find(
    { ...within(scope), ...(maxDepth !== undefined && { depth: { $lte: maxDepth } }) },
    // One more than a path needs: the last level may be incomplete.
    { projection: MEASURED, sort: { depth: -1 }, limit: limit + 1 },
  );
  const last = places.at(-1);
  return { places, completeFrom: last && places.length > limit ? last.depth + 1 : 0 };
};

/** The places of the path's messages, read level by level; for paths outside `deepest`. */
const readLevels = async (
  model: MessageModel,
  scope: PartialScope,
  { leafId, limit, deepest }: PathEnd,
) => {
  const known = deepest.places.find(({ id }) => id === leafId);
  const [leaf] = known ? [known] : await readPlaces(model, { ...within(scope), _id: leafId });
  if (!leaf) return [];
  const depth = { $gt: leaf.depth - limit, $lte: leaf.depth };
  return readPlaces(model, { ...within(scope), depth }, MEASURED);
};

/** The places of the messages that end with `leafId`, and all places of their levels. */
const readPlacesOf = async (model: MessageModel, scope: PartialScope, end: PathEnd) => {
  const { leafId, limit, maxBytes = Number.POSITIVE_INFINITY } = end;
  const pathIn = (places: MeasuredPlace[]) => walkUp(places, { leafId, limit });
  const inDeepest = pathIn(end.deepest.places);
  const isThere =
    isComplete(inDeepest, limit) && (inDeepest[0]?.depth ?? -1) >= end.deepest.completeFrom;
  const places = isThere ? end.deepest.places : await readLevels(model, scope, end);
  const path = lastWithin(isThere ? inDeepest : pathIn(places), { limit, maxBytes });
  return { path, places };
};

const readInOrder = async (
  path: readonly Place[],
  read: (filter: { _id: object }) => Promise<MessageRecord[]>,
): Promise<MessageRecord[]> => {
  if (path.length === 0) return [];
  const records = await read({ _id: { $in: path.map(({ id }) => id) } });
  const byId = new Map(records.map((record) => [record.id, record]));
  return path.flatMap(({ id }) => byId.get(id) ?? []);
};

const readPage = async (
  model: MessageModel,
  scope: PartialScope,
  end: PathEnd,
): Promise<PathEntry[]> => {
  const { path, places } = await readPlacesOf(model, scope, end);
  const records = await readInOrder(path, (filter) =>
    readRecords(model, { ...within(scope), ...filter }),
  );
  const byId = new Map(path.map((place) => [place.id, place]));
  return records.flatMap((record) => {
    const place = byId.get(record.id);
    return place ? [{ record, siblingIds: siblingIdsOf(place, places) }] : [];
  });
};

/** Messages are read in batches from the leaf upwards; most paths have one. */
const TEXTS_AT_ONCE = 40;

/** The records of a path: those that end it with their texts, as many as have `maxBytes`, and those above with their files only. */
const readTexts = async (
  model: MessageModel,
  scope: PartialScope,
  { path, maxBytes }: { path: Place[]; maxBytes: number },
): Promise<MessageRecord[]> => {
  const read = (part: Place[], projection: object): Promise<MessageRecord[]> =>
    readInOrder(part, (filter) =>
      messagesIn(model).find({ ...within(scope), ...filter }, { projection }),
    );
  const texts: MessageRecord[] = [];
  let end = path.length;
  for (let bytes = 0; end > 0 && bytes < maxBytes; end -= TEXTS_AT_ONCE) {
    const batch = await read(path.slice(Math.max(0, end - TEXTS_AT_ONCE), end), TEXTS);
    texts.unshift(...batch);
    for (const { content } of batch) bytes += Buffer.byteLength(content);
  }
  const above = await read(path.slice(0, Math.max(0, end)), FILES);
  return [...above.map((record) => ({ ...record, withoutText: true as const })), ...texts];
};

function pathStore(model: MessageModel) {
  return {
    deepest: (scope: PartialScope, wanted: DeepestWanted) => readDeepest(model, scope, wanted),

    /** Up to `limit` messages that end with `leafId`, oldest first, from a `deepest` of the same limit. */
    page: (scope: PartialScope, end: PathEnd) => readPage(model, scope, end),
    /** Up to `limit` messages from the root to `leafId`, oldest first, whole. */
    path: async (wanted: PathWanted): Promise<MessageRecord[]> => {
      const { scope, path } = await readWantedPath(model, wanted);
      return readInOrder(path, (filter) => readRecords(model, { ...within(scope), ...filter }));
    },
    /**
     * As `path`, for a prompt: only texts and the ids of files. The messages above the last ones that have about `maxBytes` of text come
     * without theirs.
     */
    pathOfPrompt: async ({
      maxBytes,
      ...wanted
    }: PathWanted & { maxBytes: number }): Promise<MessageRecord[]> => {
      const { scope, path } = await readWantedPath(model, wanted);
      return readTexts(model, scope, { path, maxBytes });
    },
  };
}

type PathWanted = PartialScope & { leafId: string; limit: number };

async function readWantedPath(model: MessageModel, { leafId, limit, ...scope }: PathWanted) {
  const deepest = await readDeepest(model, scope, { limit });
  const { path } = await readPlacesOf(model, scope, { leafId, limit, deepest });
  return { scope, path };
}

function placeStore(model: MessageModel) {
  return {
    /** The place of every message of the conversation: parents before children, siblings in order of creation. */
    places: async (scope: Scope): Promise<MeasuredPlace[]> =>
      (await readPlaces(model, within(scope), MEASURED)).toSorted(
        (a, b) => a.depth - b.depth || a.createdAt.getTime() - b.createdAt.getTime(),
      ),

    /** The messages with this parent at this depth, in order of creation. */
    children: async (
      { conversationId, ownerId }: Scope,
      { parentId, depth }: { parentId: string | null; depth: number },
    ): Promise<Place[]> =>
      (await readPlaces(model, { conversationId, ownerId, depth, parentId })).toSorted(
        (a, b) => a.createdAt.getTime() - b.createdAt.getTime(),
      ),

    /**
     * The latest leaf below a message, or the message itself when nothing follows it. A message is always newer than those above it, so the
     * newest one below is a leaf.
     */
    newestLeafBelow: async (message: MessageRecord): Promise<string> => {
      const { conversationId, ownerId, depth } = message;
      const deeper = await readPlaces(model, { conversationId, ownerId, depth: { $gt: depth } });
      const below = new Set([message.id]);
      let newest: Place = message;
      for (const place of deeper.toSorted((a, b) => a.depth - b.depth)) {
        if (!place.parentId || !below.has(place.parentId)) continue;
        below.add(place.id);
        if (place.createdAt > newest.createdAt) newest = place;
      }
      return newest.id;
    },
  };
}

function removalStore(model: MessageModel) {
  return {
    removeAllIn: async ({ conversationId, ownerId }: Scope): Promise<void> => {
      await model.deleteMany({ conversationId, ownerId });
    },

    removeAllOf: async (ownerId: string): Promise<void> => {
      await model.deleteMany({ ownerId });
    },
  };
}
