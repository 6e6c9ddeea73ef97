// Index keys: bytes in MongoDB's order of values, so that SQLite can walk an index. One value is [rank][payload]; every payload is
// self-terminating, so keys of several fields are simply joined.
import type { Binary, BSONRegExp, ObjectId } from 'bson';
import { Long } from 'bson';
import type { Doc } from './bson.ts';
import { type Numeric, toDouble } from './numbers.ts';
import { rankOf, regexText, typeOf } from './values.ts';

/** The key of one value; `direction` -1 reverses its order. */
export function encodeKey(value: unknown, direction: 1 | -1): Buffer {
  const key = Buffer.concat(parts(value));
  return direction === 1 ? key : invert(key);
}

/** The bounds of all values of the same type as `value`: from (inclusive) and to (exclusive). */
export function typeBounds(value: unknown, direction: 1 | -1): [Buffer, Buffer] {
  const rank = rankOf(value);
  return direction === 1
    ? [Buffer.from([rank]), Buffer.from([rank + 1])]
    : [Buffer.from([0xff - rank]), Buffer.from([0x100 - rank])];
}

/** The smallest key that is greater than every key that begins with `prefix`. */
export function after(prefix: Buffer): Buffer {
  const last = prefix.findLastIndex((byte) => byte < 0xff);
  const next = Buffer.from(prefix.subarray(0, last + 1));
  if (last >= 0) next[last] = (next[last] ?? 0) + 1;
  return last >= 0 ? next : END;
}

/** Greater than every key: no rank is 0xff. */
export const END = Buffer.from([0xff, 0xff]);

function invert(key: Buffer): Buffer {
  for (let i = 0; i < key.length; i++) key[i] = 0xff - (key[i] ?? 0);
  return key;
}

function parts(value: unknown): Uint8Array[] {
  return [Buffer.from([rankOf(value)]), ...payload(value)];
}

function payload(value: unknown): Uint8Array[] {
  switch (typeOf(value)) {
    case 'int':
    case 'double':
    case 'long':
    case 'decimal':
      return [number(value as Numeric)];
    case 'string':
      return [text(value as string)];
    case 'object':
      return [...Object.entries(value as Doc).flatMap(member), TERMINATOR];
    case 'array':
      return [...(value as unknown[]).flatMap(parts), TERMINATOR];
    case 'binData':
      return binary(value as Binary);
    case 'objectId':
      return [(value as ObjectId).id];
    case 'bool':
      return [Buffer.from([value ? 1 : 0])];
    case 'date':
      return [signed64(BigInt((value as Date).getTime() || 0))];
    case 'regex':
      return [text(regexText(value as BSONRegExp))];
    default:
      return [];
  }
}

const TERMINATOR = Buffer.from([0]);

const member = ([name, value]: [string, unknown]) => [
  Buffer.from([rankOf(value)]),
  text(name),
  ...parts(value),
];

/** UTF-8 with 00 written as 00 7f, ended by 00 00. */
function text(value: string): Buffer {
  const escaped = value.includes('\0') ? value.replaceAll('\0', '\0\u{7f}') : value;
  return Buffer.from(`${escaped}\0\0`);
}

/**
 * The double, with its bits changed to sort correctly, then the part of a Long beyond the double. Decimals that differ only past a double's
 * precision share a key: sufficient for finding (the filter checks again), too strict for unique.
 */
function number(value: Numeric): Buffer {
  const key = Buffer.alloc(10);
  const double = toDouble(value);
  if (Number.isNaN(double)) return key;
  key.writeDoubleBE(double || 0);
  if ((key[0] ?? 0) & 0x80) invert(key);
  else key[0] = (key[0] ?? 0) | 0x80;
  key.writeUInt16BE(0x8000 + beyondDouble(value, double), 8);
  return key;
}

const beyondDouble = (value: Numeric, double: number) =>
  value instanceof Long && !Number.isSafeInteger(double)
    ? Number(value.toBigInt() - BigInt(double))
    : 0;

function signed64(value: bigint): Buffer {
  const key = Buffer.alloc(8);
  key.writeBigInt64BE(value);
  key[0] = (key[0] ?? 0) ^ 0x80;
  return key;
}

function binary(value: Binary): Uint8Array[] {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(value.length());
  header[4] = value.sub_type;
  return [header, value.value()];
}
