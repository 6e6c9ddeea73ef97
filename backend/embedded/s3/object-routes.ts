import { validateHeaderValue } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { empty, isoDate, quoted, xml } from './answers.ts';
import { receive, type SignedRequest } from './body.ts';
import type { ObjectRecord } from './bucket.ts';
import { isMatch, isUnmodified, rangeOf } from './conditions.ts';
import { invalidArgument, noSuchKey, notImplemented, preconditionFailed } from './errors.ts';
import { headerOf, parseCopySource } from './request.ts';
import type { Answer, Route } from './route.ts';
import type { Store } from './store.ts';
import { text } from './xml.ts';

/** S3's limit for one PUT and for one part, in bytes. */
export const MAX_PUT_SIZE = 5 * 1024 ** 3;

/** Fields of a request that stores an object; their allowed values are with the routes. */
export const STORING = ['x-amz-meta-*', 'x-amz-acl', 'x-amz-storage-class'];

/** `If-None-Match: *` is the only condition that S3 supports for every way of storing. */
export const IF_NEW = ['if-none-match'];

const OVERRIDES = [
  'content-type',
  'content-language',
  'expires',
  'cache-control',
  'content-disposition',
  'content-encoding',
];

const READING = {
  on: 'object',
  allows: ['x-amz-checksum-mode', ...OVERRIDES.map((name) => `response-${name}`)],
  conditions: ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'range'],
} as const;

export const objectRoutes: readonly Route[] = [
  { ...READING, method: 'GET', run: getObject },
  { ...READING, method: 'HEAD', run: headObject },
  { method: 'PUT', on: 'object', allows: STORING, conditions: IF_NEW, run: putObject },
  {
    method: 'PUT',
    on: 'object',
    needs: ['x-amz-copy-source'],
    allows: [...STORING, 'x-amz-metadata-directive', 'x-amz-copy-source-if-match'],
    conditions: IF_NEW,
    run: copyObject,
  },
  { method: 'DELETE', on: 'object', run: deleteObject },
];

/**
 * The headers that are returned with an object, from the request that stores it.
 * @throws S3Error InvalidArgument for a value that no header can contain
 */
export function objectHeaders({ incoming, fields }: SignedRequest): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'binary/octet-stream' };
  for (const name of OVERRIDES) {
    const value = headerOf(incoming, name);
    if (value !== undefined) headers[name] = value;
  }
  const encoding = (headers['content-encoding'] ?? '').replace(/^aws-chunked(,\s*)?/, '');
  delete headers['content-encoding'];
  if (encoding) headers['content-encoding'] = encoding;
  for (const [name, value] of fields)
    if (name.startsWith('x-amz-meta-')) headers[name] = checkedHeader(name, value);
  return headers;
}

async function putObject(request: SignedRequest, store: Store): Promise<Answer> {
  const bucket = store.bucket(request.bucket);
  const onlyIfNew = isOnlyIfNew(request);
  if (onlyIfNew && bucket.get(request.key)) throw preconditionFailed();
  return store.withTemporary(async (path, sink) => {
    const headers = objectHeaders(request);
    const { size, md5, checksums } = await receive(request, sink, MAX_PUT_SIZE);
    const object = { key: request.key, size, etag: md5, headers, checksums };
    await bucket.put(object, path, { onlyIfNew });
    return empty(200, { etag: quoted(md5), ...checksums });
  });
}

async function copyObject(request: SignedRequest, store: Store): Promise<Answer> {
  const from = parseCopySource(request.fields.get('x-amz-copy-source') ?? '');
  const onlyIfNew = isOnlyIfNew(request);
  const directive = request.fields.get('x-amz-metadata-directive') ?? 'COPY';
  const source = await store.bucket(from.bucket).read(from.key);
  if (!source) throw noSuchKey();
  const { record, file } = source;
  const ifMatch = request.fields.get('x-amz-copy-source-if-match');
  if (ifMatch !== undefined && !isMatch(ifMatch, record)) {
    await file.close();
    throw preconditionFailed();
  }
  return store.withTemporary(async (path, sink) => {
    await pipeline(file.createReadStream(), sink);
    const headers = directive === 'REPLACE' ? objectHeaders(request) : record.headers;
    const { size, etag, checksums } = record;
    const object = { key: request.key, size, etag, headers, checksums };
    const copy = await store.bucket(request.bucket).put(object, path, { onlyIfNew });
    const modified = text('LastModified', isoDate(copy.modified));
    return xml('CopyObjectResult', modified, text('ETag', quoted(copy.etag)));
  });
}

async function deleteObject({ bucket, key }: SignedRequest, store: Store): Promise<Answer> {
  await store.bucket(bucket).delete([key]);
  return empty(204);
}

async function headObject(request: SignedRequest, store: Store): Promise<Answer> {
  const record = store.bucket(request.bucket).get(request.key);
  if (!record) throw noSuchKey();
  return reading(request, record).answer;
}

async function getObject(request: SignedRequest, store: Store): Promise<Answer> {
  const object = await store.bucket(request.bucket).read(request.key);
  if (!object) throw noSuchKey();
  try {
    const { answer, start, end } = reading(request, object.record);
    if (answer.status === 304 || end < start) {
      await object.file.close();
      return answer;
    }
    return { ...answer, body: object.file.createReadStream({ start, end }) };
  } catch (error) {
    await object.file.close();
    throw error;
  }
}

/** @throws S3Error NotImplemented for another condition than `*` */
export function isOnlyIfNew({ incoming }: SignedRequest): boolean {
  const condition = incoming.headers['if-none-match'];
  if (condition === undefined) return false;
  if (condition !== '*') throw notImplemented('If-None-Match with an ETag for storing');
  return true;
}

function checkedHeader(name: string, value: string): string {
  try {
    validateHeaderValue(name, value);
  } catch {
    throw invalidArgument(`The value of ${name} cannot be sent in a header.`);
  }
  return value;
}

/** The headers for a client that reads an object, and the bytes to send: `end` is the last one. */
function reading(request: SignedRequest, record: ObjectRecord) {
  const { incoming, fields } = request;
  const common = {
    ...record.headers,
    etag: quoted(record.etag),
    'last-modified': new Date(record.modified).toUTCString(),
    'accept-ranges': 'bytes',
  };
  if (isUnmodified(incoming, record))
    return { answer: { status: 304, headers: common }, start: 0, end: -1 };
  const range = rangeOf(incoming.headers.range, record.size);
  const { start, end } = range ?? { start: 0, end: record.size - 1 };
  // The checksum covers the whole object: with a range, clients would apply it to the range.
  const wantsChecksums = range === undefined && fields.get('x-amz-checksum-mode') === 'ENABLED';
  const headers = {
    ...common,
    ...(wantsChecksums && record.checksums),
    ...overrides(request),
    'content-length': end - start + 1,
    ...(range && { 'content-range': `bytes ${start}-${end}/${record.size}` }),
  };
  return { answer: { status: range ? 206 : 200, headers }, start, end };
}

/** Headers that a signed URL overrides. */
const overrides = ({ fields }: SignedRequest): Record<string, string> =>
  Object.fromEntries(
    OVERRIDES.flatMap((name) => {
      const value = fields.get(`response-${name}`);
      return value === undefined ? [] : [[name, checkedHeader(name, value)]];
    }),
  );
