import { createHash } from 'node:crypto';
import { Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { AwsChunkedDecoder } from './chunked.ts';
import { incompleteBody, S3Error } from './errors.ts';
import { headerOf, type S3Request } from './request.ts';
import { CHUNKED_PAYLOAD, UNSIGNED_PAYLOAD } from './sigv4.ts';

/** A received body that passed every check that the client requested. */
export interface Received {
  /** Bytes. */
  readonly size: number;
  /** In hex. */
  readonly md5: string;
  /** `x-amz-checksum-…` headers to store and return. */
  readonly checksums: Readonly<Record<string, string>>;
}

/** A request with a valid signature; `payload` is the signature's statement about the body. */
export interface SignedRequest extends S3Request {
  readonly payload: string;
}

export const CHECKSUMS = {
  'x-amz-checksum-crc32': 'crc32',
  'x-amz-checksum-sha256': 'sha256',
} as const;
const MAX_TEXT = 2 * 1024 * 1024;

/**
 * Streams the body into `sink`. The sink is destroyed on an error.
 * @param limit bytes
 * @throws S3Error when the body is too long, too short or does not match a declared checksum
 */
export async function receive(
  request: SignedRequest,
  sink: Writable,
  limit: number,
): Promise<Received> {
  const { incoming, payload } = request;
  const decoder = payload === CHUNKED_PAYLOAD ? new AwsChunkedDecoder() : undefined;
  const declaredLength = lengthOf(request);
  const digests = digestsFor(request);
  let size = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      for (const digest of digests.values()) digest.update(chunk);
      done(size > limit ? tooLarge() : null, chunk);
    },
  });
  if (declaredLength > limit) throw tooLarge();
  await pipeline(decoder ? [incoming, decoder, meter, sink] : [incoming, meter, sink]);
  if (size !== declaredLength) throw incompleteBody();
  const results = new Map([...digests].map(([name, digest]) => [name, digest.digest()]));
  checkHashes(request, results);
  return {
    size,
    md5: results.get('md5')?.toString('hex') ?? '',
    checksums: checkedChecksums(request, results, decoder?.trailers),
  };
}

/** The whole body of a small request as text. */
export async function receiveText(request: SignedRequest): Promise<string> {
  const chunks: Buffer[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  await receive(request, sink, MAX_TEXT);
  return Buffer.concat(chunks).toString('utf8');
}

/** Without a length, a truncated body could not be detected. */
function lengthOf({ incoming, payload, fields }: SignedRequest): number {
  const declared =
    payload === CHUNKED_PAYLOAD
      ? fields.get('x-amz-decoded-content-length')
      : (incoming.headers['content-length'] ??
        (incoming.headers['transfer-encoding'] === undefined ? '0' : undefined));
  if (declared === undefined || !/^\d{1,15}$/.test(declared))
    throw new S3Error(411, 'MissingContentLength', 'You must provide the length of the body.');
  return Number(declared);
}

interface Digest {
  update(chunk: Buffer): unknown;
  digest(): Buffer;
}

/** MD5 is always needed, for the ETag; others only when the client names them. */
function digestsFor({ payload, fields }: SignedRequest): Map<string, Digest> {
  const digests = new Map<string, Digest>([['md5', createHash('md5')]]);
  const named = (name: string) => fields.has(name) || fields.get('x-amz-trailer') === name;
  if (named('x-amz-checksum-crc32')) digests.set('crc32', crc32Digest());
  if (named('x-amz-checksum-sha256') || isHash(payload))
    digests.set('sha256', createHash('sha256'));
  return digests;
}

function crc32Digest(): Digest {
  let value = 0;
  return {
    update: (chunk) => (value = crc32(chunk, value)),
    digest() {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value);
      return bytes;
    },
  };
}

function checkHashes({ incoming, payload }: SignedRequest, results: Map<string, Buffer>): void {
  if (isHash(payload) && results.get('sha256')?.toString('hex') !== payload)
    throw new S3Error(400, 'XAmzContentSHA256Mismatch', 'The body is not what was signed.');
  const md5 = headerOf(incoming, 'content-md5');
  if (md5 !== undefined && results.get('md5')?.toString('base64') !== md5)
    throw badDigest('Content-MD5');
}

function checkedChecksums(
  { fields }: SignedRequest,
  results: Map<string, Buffer>,
  trailers: ReadonlyMap<string, string> | undefined,
): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, algorithm] of Object.entries(CHECKSUMS)) {
    const trailing = fields.get('x-amz-trailer') === name;
    const declared = trailing ? trailers?.get(name) : fields.get(name);
    if (declared === undefined && !trailing) continue;
    if (declared !== results.get(algorithm)?.toString('base64')) throw badDigest(name);
    checked[name] = declared ?? '';
  }
  return checked;
}

const isHash = (payload: string) => payload !== CHUNKED_PAYLOAD && payload !== UNSIGNED_PAYLOAD;

const badDigest = (what: string) =>
  new S3Error(400, 'BadDigest', `The ${what} you specified did not match what we received.`);

const tooLarge = () =>
  new S3Error(400, 'EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size.');
