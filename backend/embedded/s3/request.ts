// A request in terms of S3: a bucket, a key, and fields from query parameters or headers.
import type { IncomingMessage } from 'node:http';
import { notImplemented, S3Error } from './errors.ts';

export interface S3Request {
  readonly incoming: IncomingMessage;
  readonly method: string;
  /** Decoded, with its leading slash. */
  readonly path: string;
  /** '' for the service itself. */
  readonly bucket: string;
  /** '' for the bucket itself. */
  readonly key: string;
  /** Decoded, in the order sent, for the signature. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /**
   * Query parameters and `x-amz-` headers in one map, because a signed URL has in its query what a signed request has in headers. `x-amz-`
   * names are in lower case.
   */
  readonly fields: ReadonlyMap<string, string>;
}

/** Percent-encoding in AWS signatures (RFC 3986: only letters, digits and `-._~` stay). */
export const encodeUri = (value: string) =>
  encodeURIComponent(value).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** A key as part of a path: encoded, its slashes kept. */
export const encodeKey = (key: string) => key.split('/').map(encodeUri).join('/');

/** S3 lists in the order of UTF-8 bytes, which differs from the order of JavaScript's strings. */
export const compareKeys = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The value of a header other than `x-amz-`; repeated ones are joined as HTTP defines. */
export function headerOf(incoming: IncomingMessage, name: string): string | undefined {
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** @throws S3Error InvalidURI or KeyTooLongError when the path cannot be a bucket and a key. */
export function parseRequest(incoming: IncomingMessage): S3Request {
  const [rawPath = '', ...search] = (incoming.url ?? '').split('?');
  const path = decode(rawPath);
  const query = search.join('?').split('&').filter(Boolean).map(parseParameter);
  return {
    incoming,
    method: incoming.method ?? '',
    path,
    ...parseLocation(path),
    query,
    fields: fieldsOf(incoming, query),
  };
}

/**
 * The bucket and key of a decoded path. It is split after decoding, as S3 does, so that `%2F` and `/` are equal; dots have no meaning,
 * because a key is a name and never a path.
 */
function parseLocation(path: string): { bucket: string; key: string } {
  const [bucket = '', ...rest] = path.replace(/^\//, '').split('/');
  return { bucket, key: checkedKey(rest.join('/')) };
}

/**
 * The source of a copy, as `x-amz-copy-source` names it.
 * @throws S3Error InvalidURI, KeyTooLongError, or NotImplemented for a version
 */
export function parseCopySource(source: string): { bucket: string; key: string } {
  if (source.includes('?')) throw notImplemented('Copying a version');
  return parseLocation(decode(source));
}

function fieldsOf(incoming: IncomingMessage, query: S3Request['query']): Map<string, string> {
  const fields = new Map<string, string>();
  const canonical = (name: string) => (/^x-amz-/i.test(name) ? name.toLowerCase() : name);
  for (const [name, value] of query) fields.set(canonical(name), value);
  for (const name of Object.keys(incoming.headers))
    if (name.startsWith('x-amz-')) fields.set(name, headerOf(incoming, name) ?? '');
  return fields;
}

function parseParameter(source: string): [string, string] {
  const [name = '', ...value] = source.replaceAll('+', ' ').split('=');
  return [decode(name), decode(value.join('='))];
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new S3Error(400, 'InvalidURI', "Couldn't parse the specified URI.");
  }
}

/** XML cannot contain control characters, so no key may contain one. */
function checkedKey(key: string): string {
  if (Buffer.byteLength(key) > 1024)
    throw new S3Error(400, 'KeyTooLongError', 'Your key is too long.');
  if (/[\p{Cc}\uFFFE\uFFFF]/u.test(key))
    throw new S3Error(400, 'InvalidURI', 'A key holds no control characters.');
  return key;
}
