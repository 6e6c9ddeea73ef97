import { empty, isoDate, quoted, xml, xmlAnswer } from './answers.ts';
import { receiveText, type SignedRequest } from './body.ts';
import type { Bucket } from './bucket.ts';
import { formatCors, parseCors } from './cors.ts';
import { invalidArgument, malformedXml } from './errors.ts';
import { compareKeys, encodeKey } from './request.ts';
import type { Answer, Route } from './route.ts';
import type { Store } from './store.ts';
import { element, elementsIn, plainXml, requireKnown, text, textIn } from './xml.ts';

/** S3's limit for one page and for one multi-object delete. */
const MAX_KEYS = 1_000;

const LISTING = [
  'prefix',
  'delimiter',
  'max-keys',
  'continuation-token',
  'start-after',
  'fetch-owner',
  'encoding-type',
];

export const bucketRoutes: readonly Route[] = [
  { method: 'PUT', on: 'bucket', needs: ['cors'], run: putCors },
  { method: 'GET', on: 'bucket', needs: ['cors'], run: getCors },
  { method: 'POST', on: 'bucket', needs: ['delete'], run: deleteObjects },
  { method: 'GET', on: 'bucket', needs: ['list-type'], allows: LISTING, run: listObjects },
  { method: 'HEAD', on: 'bucket', run: headBucket },
  { method: 'PUT', on: 'bucket', run: createBucket },
  { method: 'DELETE', on: 'bucket', run: deleteBucket },
];

async function createBucket({ bucket }: SignedRequest, store: Store): Promise<Answer> {
  await store.createBucket(bucket);
  return empty(200, { location: `/${bucket}` });
}

async function headBucket({ bucket }: SignedRequest, store: Store): Promise<Answer> {
  store.bucket(bucket);
  return empty(200);
}

async function deleteBucket({ bucket }: SignedRequest, store: Store): Promise<Answer> {
  await store.deleteBucket(bucket);
  return empty(204);
}

async function putCors(request: SignedRequest, store: Store): Promise<Answer> {
  const bucket = store.bucket(request.bucket);
  await bucket.setCors(parseCors(await receiveText(request)));
  return empty(200);
}

async function getCors({ bucket }: SignedRequest, store: Store): Promise<Answer> {
  return xmlAnswer(formatCors(store.bucket(bucket).cors));
}

/** A version, an ETag or another condition is refused, because the deletion would ignore it. */
const DELETE_XML = ['Delete', 'Object', 'Key', 'Quiet'];

async function deleteObjects(request: SignedRequest, store: Store): Promise<Answer> {
  const bucket = store.bucket(request.bucket);
  const source = requireKnown(plainXml(await receiveText(request)), DELETE_XML);
  const keys = elementsIn(source, 'Object').map((object) => textIn(object, 'Key'));
  const named = keys.filter((key) => key !== undefined);
  if (keys.length === 0 || keys.length > MAX_KEYS || named.length < keys.length)
    throw malformedXml();
  await bucket.delete(named);
  const quiet = textIn(source, 'Quiet') === 'true';
  return xml(
    'DeleteResult',
    ...(quiet ? [] : named.map((key) => element('Deleted', text('Key', key)))),
  );
}

/** One line of a listing: a key, or the common prefix of several. */
interface Entry {
  readonly name: string;
  readonly isPrefix: boolean;
}

function entriesOf(
  bucket: Bucket,
  { prefix, delimiter, startAfter }: { prefix: string; delimiter: string; startAfter: string },
): Entry[] {
  const entries = new Map<string, Entry>();
  for (const key of bucket.keys()) {
    // A common prefix is listed if one of its keys follows `startAfter`.
    if (!key.startsWith(prefix) || compareKeys(key, startAfter) <= 0) continue;
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const name = cut < 0 ? key : key.slice(0, cut + delimiter.length);
    entries.set(name, { name, isPrefix: cut >= 0 });
  }
  return [...entries.values()].toSorted((a, b) => compareKeys(a.name, b.name));
}

async function listObjects({ bucket: name, fields }: SignedRequest, store: Store): Promise<Answer> {
  const bucket = store.bucket(name);
  const prefix = fields.get('prefix') ?? '';
  const delimiter = fields.get('delimiter') ?? '';
  const limit = countOf(fields.get('max-keys'));
  const token = fields.get('continuation-token');
  const startAfter = token === undefined ? (fields.get('start-after') ?? '') : '';
  const listedBefore = token === undefined ? '' : fromToken(token);
  const entries = entriesOf(bucket, { prefix, delimiter, startAfter }).filter(
    ({ name: entry }) => compareKeys(entry, listedBefore) > 0,
  );
  const page = entries.slice(0, limit);
  const isTruncated = limit > 0 && entries.length > page.length;
  const encoded = fields.has('encoding-type') ? encodeKey : (value: string) => value;
  const last = page.at(-1);
  return xml(
    'ListBucketResult',
    text('Name', name),
    text('Prefix', encoded(prefix)),
    text('MaxKeys', limit),
    text('KeyCount', page.length),
    text('IsTruncated', isTruncated),
    delimiter === '' ? '' : text('Delimiter', encoded(delimiter)),
    fields.has('encoding-type') ? text('EncodingType', 'url') : '',
    isTruncated && last ? text('NextContinuationToken', toToken(last.name)) : '',
    ...page.map((entry) => listed(bucket, entry, encoded)),
  );
}

function listed(
  bucket: Bucket,
  { name, isPrefix }: Entry,
  encoded: (value: string) => string,
): string {
  if (isPrefix) return element('CommonPrefixes', text('Prefix', encoded(name)));
  const record = bucket.get(name);
  if (!record) return '';
  return element(
    'Contents',
    text('Key', encoded(name)),
    text('LastModified', isoDate(record.modified)),
    text('ETag', quoted(record.etag)),
    text('Size', record.size),
    text('StorageClass', 'STANDARD'),
  );
}

/** @throws S3Error InvalidArgument */
export function countOf(value: string | undefined): number {
  if (value === undefined) return MAX_KEYS;
  if (!/^\d{1,9}$/.test(value)) throw invalidArgument('A maximum must be a whole number.');
  return Math.min(Number(value), MAX_KEYS);
}

const toToken = (name: string) => Buffer.from(`1:${name}`).toString('base64url');

/** @throws S3Error InvalidArgument for a token that this store did not issue */
function fromToken(token: string): string {
  const source = Buffer.from(token, 'base64url').toString('utf8');
  const name = source.slice(2);
  if (toToken(name) !== token)
    throw invalidArgument('The continuation token provided is incorrect.');
  return name;
}
