import { deserialize, serialize } from 'bson';
import { fail } from './errors.ts';

/**
 * A document in this server: every number keeps its BSON type (Int32, Double, Long, Decimal128), a regular expression is a BSONRegExp, and
 * a missing field is `undefined`. There is no other form.
 */
export type Doc = Record<string, unknown>;

/** Limit of one document, in bytes; MongoDB's. */
export const MAX_DOCUMENT = 16 * 1024 * 1024;

/** Levels of documents and arrays in one document; MongoDB's documented limit. */
const MAX_DEPTH = 100;

/** @throws MongoError 15 when a document is nested deeper than MongoDB allows. */
export function requireDepth(value: unknown, depth = 1): void {
  if (depth > MAX_DEPTH) tooDeep();
  const children = Array.isArray(value) ? value : Object.values(value as Doc);
  for (const child of children) {
    if (Array.isArray(child) || isPlain(child)) requireDepth(child, depth + 1);
  }
}

const tooDeep = (): never =>
  fail(15, `Object exceeds maximum nested object depth of ${MAX_DEPTH} levels`);

/** @throws MongoError 15 when it is nested so deeply that it cannot be read. */
export function decode(raw: Uint8Array): Doc {
  try {
    return parse(raw);
  } catch (error) {
    if (error instanceof RangeError && /call stack/i.test(error.message)) tooDeep();
    throw error;
  }
}

const parse = (raw: Uint8Array): Doc =>
  deserialize(raw, {
    promoteValues: false,
    promoteLongs: false,
    bsonRegExp: true,
    // Validating every character of long texts again would cost more than the rest of an update.
    validation: { utf8: false },
  });

/** @throws MongoError 10334 when the document is over the limit. */
export function encode(doc: Doc): Uint8Array {
  const raw = tryEncode(doc);
  if (raw.length > MAX_DOCUMENT) tooLarge();
  return raw;
}

function tryEncode(doc: Doc): Uint8Array {
  try {
    return serialize(doc, { ignoreUndefined: true });
  } catch (error) {
    // The encoder's buffer is a little larger than the largest document.
    if (error instanceof RangeError) tooLarge();
    throw error;
  }
}

export const tooLarge = (): never =>
  fail(10334, `BSONObj exceeds maximum user document size: ${MAX_DOCUMENT}`);

/** Encoded BSON, which is copied into an answer without decoding. */
export class Raw {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** Encodes an answer, in which a document may be `Raw` and a list may consist of `Raw`. */
export function encodeReply(reply: Doc): Buffer {
  const parts: Uint8Array[] = [];
  let length = 5;
  const add = (...bytes: Uint8Array[]) => {
    for (const part of bytes) {
      parts.push(part);
      length += part.length;
    }
  };
  for (const [name, value] of Object.entries(reply)) {
    if (value instanceof Raw) add(header(3, name), value.bytes);
    else if (isPlain(value)) add(header(3, name), encodeReply(value));
    else if (Array.isArray(value))
      add(header(4, name), encodeReply(Object.fromEntries(value.entries())));
    else add(serialize({ [name]: value }, { ignoreUndefined: true }).subarray(4, -1));
  }
  const size = Buffer.alloc(4);
  size.writeInt32LE(length);
  return Buffer.concat([size, ...parts, Buffer.alloc(1)], length);
}

const header = (type: number, name: string) => Buffer.from(`${String.fromCharCode(type)}${name}\0`);

const isPlain = (value: unknown): value is Doc =>
  value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;
