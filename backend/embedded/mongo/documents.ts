// The effect of one write on one document.
import { BSONRegExp, ObjectId } from 'bson';
import { type Doc, decode, encode, MAX_DOCUMENT, tooLarge } from './bson.ts';
import type { Collection, Row } from './collection.ts';
import { fail } from './errors.ts';
import type { Test } from './match.ts';
import { applyUpdate, isModification, type UpdateContext, upsertSeed } from './update.ts';
import { checkModification } from './update-check.ts';
import { isDoc } from './values.ts';

/** A document as it is stored. */
interface Stored {
  raw: Uint8Array;
  doc: Doc;
}

/** Stores a document, its `_id` first; generates an `_id` when it has none. */
export function insertDocument(collection: Collection, source: Uint8Array): Stored {
  if (source.length > MAX_DOCUMENT) tooLarge();
  const stored = withId({ raw: source, doc: decode(source) });
  collection.insert(stored.raw, stored.doc);
  return stored;
}

function withId({ raw, doc }: Stored): Stored {
  const { _id = new ObjectId(), ...fields } = doc;
  if (Array.isArray(_id) || _id instanceof BSONRegExp)
    fail(2, "The '_id' value cannot be an array or a regex");
  if (Object.keys(doc)[0] === '_id' && doc._id !== undefined) return { raw, doc };
  const ordered = { _id, ...fields };
  return { raw: encode(ordered), doc: ordered };
}

/** Applies an update; an update without a change writes nothing. */
export function updateDocument(
  collection: Collection,
  row: Row,
  { update, context }: { update: Doc; context: UpdateContext },
): Stored & { changed: boolean } {
  const doc = applyUpdate(row.doc, update, context);
  const raw = encode(doc);
  if (Buffer.compare(raw, row.raw) === 0) return { raw: row.raw, doc: row.doc, changed: false };
  collection.replace(row, raw, doc);
  return { raw, doc, changed: true };
}

/** Inserts the document that an upsert builds from its filter and its update. */
export function upsertDocument(
  collection: Collection,
  { filter, update, context }: { filter: Doc; update: Doc; context: UpdateContext },
): Stored {
  const doc = applyUpdate(upsertSeed(filter, update), update, { ...context, inserting: true });
  return insertDocument(collection, encode(doc));
}

/**
 * The update of a command; refused here when it is wrong for every document.
 * @throws MongoError
 */
export function requireUpdate(
  source: unknown,
  { multi, arrayFilters }: { multi: boolean; arrayFilters: ReadonlyMap<string, Test> },
): Doc {
  if (isModification(source)) checkModification(source, arrayFilters);
  else if (multi) fail(9, 'multi update is not supported for replacement-style update');
  return isDoc(source) ? source : fail(9, 'An update must be an object');
}
