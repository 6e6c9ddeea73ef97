import { empty, isoDate, quoted, xml } from './answers.ts';
import { receive, receiveText, type SignedRequest } from './body.ts';
import { countOf } from './bucket-routes.ts';
import { invalidArgument, malformedXml } from './errors.ts';
import type { Part } from './multipart.ts';
import { MAX_PUT_SIZE, objectHeaders, STORING } from './object-routes.ts';
import type { Answer, Route } from './route.ts';
import type { Store } from './store.ts';
import { element, elementsIn, plainXml, text, textIn } from './xml.ts';

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
    run: complete,
  },
  { method: 'DELETE', on: 'object', needs: ['uploadId'], run: abort },
  {
    method: 'GET',
    on: 'bucket',
    needs: ['uploads'],
    allows: ['prefix', 'max-uploads', 'encoding-type'],
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
    await store.bucket(request.bucket).uploads.addPart(upload, { number, etag: md5, size }, path);
    return empty(200, { etag: quoted(md5), ...checksums });
  });
}

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
  const upload = await found(request, store);
  const bucket = store.bucket(request.bucket);
  const chosen = chosenParts(await receiveText(request));
  return store.withTemporary(async (path, sink) => {
    const { size, etag } = await bucket.uploads.join(upload, chosen, sink);
    const { key, headers } = upload;
    await bucket.put({ key, size, etag, headers, checksums: {} }, path);
    await bucket.uploads.remove(upload);
    return xml('CompleteMultipartUploadResult', ...named(request), text('ETag', quoted(etag)));
  });
}

function chosenParts(source: string): Pick<Part, 'number' | 'etag'>[] {
  const parts = elementsIn(plainXml(source), 'Part').map((part) => ({
    number: Number(textIn(part, 'PartNumber')),
    etag: (textIn(part, 'ETag') ?? '').replaceAll('"', ''),
  }));
  if (parts.length === 0 || parts.length > MAX_PARTS) throw malformedXml();
  return parts;
}

async function abort(request: SignedRequest, store: Store): Promise<Answer> {
  const upload = await found(request, store);
  await store.bucket(request.bucket).uploads.remove(upload);
  return empty(204);
}

async function listUploads({ bucket, fields }: SignedRequest, store: Store): Promise<Answer> {
  const all = await store.bucket(bucket).uploads.list(fields.get('prefix') ?? '');
  const page = all.slice(0, countOf(fields.get('max-uploads')));
  return xml(
    'ListMultipartUploadsResult',
    text('Bucket', bucket),
    text('IsTruncated', all.length > page.length),
    ...page.map(({ id, key, started }) =>
      element(
        'Upload',
        text('Key', key),
        text('UploadId', id),
        text('Initiated', isoDate(started)),
      ),
    ),
  );
}
