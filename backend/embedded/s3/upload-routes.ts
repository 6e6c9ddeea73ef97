import { empty, isoDate, quoted, xml } from './answers.ts';
import { CHECKSUMS, receive, receiveText, type SignedRequest } from './body.ts';
import { countOf } from './bucket-routes.ts';
import { invalidArgument, malformedXml } from './errors.ts';
import type { Checksum, ChosenPart, Upload } from './multipart.ts';
import { IF_NEW, isOnlyIfNew, MAX_PUT_SIZE, objectHeaders, STORING } from './object-routes.ts';
import { compareKeys, encodeKey } from './request.ts';
import type { Answer, Route } from './route.ts';
import type { Store } from './store.ts';
import { element, elementsIn, plainXml, requireKnown, text, textIn } from './xml.ts';

const MAX_PARTS = 10_000;

const STARTING = [...STORING, 'x-amz-checksum-algorithm', 'x-amz-checksum-type'];

export const uploadRoutes: readonly Route[] = [
  { method: 'POST', on: 'object', needs: ['uploads'], allows: STARTING, run: startUpload },
  { method: 'PUT', on: 'object', needs: ['uploadId', 'partNumber'], run: uploadPart },
  {
    method: 'GET',
    on: 'object',
    needs: ['uploadId'],
    allows: ['max-parts', 'part-number-marker'],
    run: listParts,
  },
  {
    method: 'POST',
    on: 'object',
    needs: ['uploadId'],
    allows: ['x-amz-checksum-type'],
    conditions: IF_NEW,
    run: complete,
  },
  { method: 'DELETE', on: 'object', needs: ['uploadId'], run: abort },
  {
    method: 'GET',
    on: 'bucket',
    needs: ['uploads'],
    allows: ['prefix', 'key-marker', 'upload-id-marker', 'max-uploads', 'encoding-type'],
    run: listUploads,
  },
];

const found = ({ bucket, key, fields }: SignedRequest, store: Store) =>
  store.bucket(bucket).uploads.find(fields.get('uploadId') ?? '', key);

const named = ({ bucket, key }: SignedRequest) => [text('Bucket', bucket), text('Key', key)];

async function startUpload(request: SignedRequest, store: Store): Promise<Answer> {
  const { uploads } = store.bucket(request.bucket);
  const { id } = await uploads.start(request.key, objectHeaders(request));
  return xml('InitiateMultipartUploadResult', ...named(request), text('UploadId', id));
}

async function uploadPart(request: SignedRequest, store: Store): Promise<Answer> {
  const upload = await found(request, store);
  const number = Number(request.fields.get('partNumber'));
  if (!Number.isInteger(number) || number < 1 || number > MAX_PARTS)
    throw invalidArgument(`Part number must be an integer between 1 and ${MAX_PARTS}.`);
  return store.withTemporary(async (path, sink) => {
    const { size, md5, checksums } = await receive(request, sink, MAX_PUT_SIZE);
    const part = { number, etag: md5, size, ...checksumOf(checksums) };
    await store.bucket(request.bucket).uploads.addPart(upload, part, path);
    return empty(200, { etag: quoted(md5), ...checksums });
  });
}

function checksumOf(checksums: Readonly<Record<string, string>>): { checksum?: Checksum } {
  for (const [header, algorithm] of Object.entries(CHECKSUMS)) {
    const value = checksums[header];
    if (value !== undefined) return { checksum: { algorithm, hex: toHex(value) } };
  }
  return {};
}

const toHex = (base64: string) => Buffer.from(base64, 'base64').toString('hex');

async function listParts(request: SignedRequest, store: Store): Promise<Answer> {
  const upload = await found(request, store);
  const marker = Number(request.fields.get('part-number-marker') ?? 0);
  const limit = countOf(request.fields.get('max-parts'));
  const parts = (await store.bucket(request.bucket).uploads.parts(upload)).filter(
    ({ number }) => number > marker,
  );
  const page = parts.slice(0, limit);
  const last = page.at(-1);
  const isTruncated = parts.length > page.length;
  return xml(
    'ListPartsResult',
    ...named(request),
    text('UploadId', upload.id),
    text('MaxParts', limit),
    text('IsTruncated', isTruncated),
    isTruncated && last ? text('NextPartNumberMarker', last.number) : '',
    ...page.map(({ number, etag, size, modified }) =>
      element(
        'Part',
        text('PartNumber', number),
        text('LastModified', isoDate(modified)),
        text('ETag', quoted(etag)),
        text('Size', size),
      ),
    ),
  );
}

async function complete(request: SignedRequest, store: Store): Promise<Answer> {
  const bucket = store.bucket(request.bucket);
  const onlyIfNew = isOnlyIfNew(request);
  const chosen = chosenParts(await receiveText(request));
  const answer = (etag: string) =>
    xml('CompleteMultipartUploadResult', ...named(request), text('ETag', quoted(etag)));
  const done = bucket.get(request.key);
  // A client with a broken connection cannot know that its upload is complete, and repeats the request.
  if (done?.uploadId === request.fields.get('uploadId')) return answer(done?.etag ?? '');
  const upload = await found(request, store);
  return store.withTemporary(async (path, sink) => {
    const { size, etag } = await bucket.uploads.join(upload, chosen, sink);
    const { id: uploadId, key, headers } = upload;
    const object = { key, size, etag, headers, checksums: {}, uploadId };
    await bucket.put(object, path, { onlyIfNew });
    await bucket.uploads.remove(upload);
    return answer(etag);
  });
}

const COMPLETE_XML = [
  'CompleteMultipartUpload',
  'Part',
  'PartNumber',
  'ETag',
  'ChecksumCRC32',
  'ChecksumSHA256',
];

function chosenParts(source: string): ChosenPart[] {
  const known = requireKnown(plainXml(source), COMPLETE_XML);
  const parts = elementsIn(known, 'Part').map((part) => ({
    number: Number(textIn(part, 'PartNumber')),
    etag: (textIn(part, 'ETag') ?? '').replaceAll('"', ''),
    ...checksumOf({
      ...inHeader(part, 'ChecksumCRC32', 'x-amz-checksum-crc32'),
      ...inHeader(part, 'ChecksumSHA256', 'x-amz-checksum-sha256'),
    }),
  }));
  if (parts.length === 0 || parts.length > MAX_PARTS) throw malformedXml();
  return parts;
}

function inHeader(part: string, name: string, header: string): Record<string, string> {
  const value = textIn(part, name);
  return value === undefined ? {} : { [header]: value };
}

async function abort(request: SignedRequest, store: Store): Promise<Answer> {
  const upload = await found(request, store);
  await store.bucket(request.bucket).uploads.remove(upload);
  return empty(204);
}

async function listUploads({ bucket, fields }: SignedRequest, store: Store): Promise<Answer> {
  const prefix = fields.get('prefix') ?? '';
  const keyMarker = fields.get('key-marker') ?? '';
  const idMarker = keyMarker === '' ? '' : (fields.get('upload-id-marker') ?? '');
  const isAfterMarker = ({ key, id }: Upload) => {
    const order = compareKeys(key, keyMarker);
    return order > 0 || (order === 0 && idMarker !== '' && id > idMarker);
  };
  const all = (await store.bucket(bucket).uploads.list(prefix)).filter(isAfterMarker);
  const limit = countOf(fields.get('max-uploads'));
  const page = all.slice(0, limit);
  const last = page.at(-1);
  const isTruncated = last !== undefined && all.length > page.length;
  const encoded = fields.has('encoding-type') ? encodeKey : (value: string) => value;
  return xml(
    'ListMultipartUploadsResult',
    text('Bucket', bucket),
    text('Prefix', encoded(prefix)),
    text('KeyMarker', encoded(keyMarker)),
    text('UploadIdMarker', idMarker),
    text('MaxUploads', limit),
    text('IsTruncated', isTruncated),
    fields.has('encoding-type') ? text('EncodingType', 'url') : '',
    isTruncated ? text('NextKeyMarker', encoded(last.key)) : '',
    isTruncated ? text('NextUploadIdMarker', last.id) : '',
    ...page.map(({ id, key, started }) =>
      element(
        'Upload',
        text('Key', encoded(key)),
        text('UploadId', id),
        text('Initiated', isoDate(started)),
      ),
    ),
  );
}
