import type { IncomingMessage } from 'node:http';
import type { ObjectRecord } from './bucket.ts';
import { preconditionFailed, S3Error } from './errors.ts';

const etagsIn = (header: string): string[] =>
  header.split(',').map((etag) => etag.trim().replace(/^W\//, '').replaceAll('"', ''));

/** Whether a condition such as If-Match names this object. */
export const isMatch = (header: string, { etag }: ObjectRecord): boolean =>
  header.trim() === '*' || etagsIn(header).includes(etag);

/**
 * Whether the client already has the object (RFC 9110, 13; HTTP dates have whole seconds).
 * @throws S3Error PreconditionFailed when the client wants another object than this one
 */
export function isUnmodified({ headers }: IncomingMessage, record: ObjectRecord): boolean {
  const seconds = Math.floor(record.modified / 1_000) * 1_000;
  const ifMatch = headers['if-match'];
  const ifUnmodified = headers['if-unmodified-since'];
  if (ifMatch !== undefined && !isMatch(ifMatch, record)) throw preconditionFailed();
  if (ifMatch === undefined && ifUnmodified !== undefined && seconds > Date.parse(ifUnmodified))
    throw preconditionFailed();
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) return isMatch(ifNoneMatch, record);
  const ifModified = headers['if-modified-since'];
  return ifModified !== undefined && seconds <= Date.parse(ifModified);
}

/**
 * The bytes of a Range header, both ends included; undefined for the whole object, which is also the meaning of a header in another form.
 * @throws S3Error InvalidRange when the object has none of them
 */
export function rangeOf(
  header: string | undefined,
  size: number,
): { start: number; end: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start >= size || (last !== '' && first !== '' && Number(last) < start) || start > end)
    throw new S3Error(416, 'InvalidRange', 'The requested range cannot be satisfied.');
  return { start, end };
}
