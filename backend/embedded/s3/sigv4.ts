// Verifies AWS Signature Version 4, in the Authorization header and in signed URLs.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import {
  accessDenied,
  invalidArgument,
  invalidRequest,
  notImplemented,
  S3Error,
} from './errors.ts';
import { encodeKey, encodeUri, headerOf, type S3Request } from './request.ts';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The value of `x-amz-content-sha256` without a hash. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';
export const CHUNKED_PAYLOAD = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';

const ALGORITHM = 'AWS4-HMAC-SHA256';
const MAX_SKEW_MS = 15 * 60_000;
const MAX_EXPIRY_SECONDS = 7 * 86_400;

/** The unverified signature of a request. */
interface Claim {
  readonly credential: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly date: string;
  readonly payload: string;
}

/**
 * Accepts a request with a valid signature by one of `credentials`.
 * @param now milliseconds since 1970
 * @returns the signature's statement about the body: its SHA-256 in hex, or one of the two constants above
 * @throws S3Error with S3's own status and code for each reason to refuse it
 */
export function authenticate(request: S3Request, credentials: Credentials, now: number): string {
  const inQuery = request.query.some(([name]) => name === 'X-Amz-Signature');
  if (inQuery && request.incoming.headers.authorization !== undefined)
    throw invalidArgument('Only one way to sign is allowed.');
  const claim = inQuery ? claimOfAddress(request, now) : claimOfHeaders(request, now);
  if (claim.credential.split('/')[0] !== credentials.accessKeyId)
    throw new S3Error(403, 'InvalidAccessKeyId', 'The access key does not exist here.');
  refuseUnsignedHeaders(request, claim.signedHeaders);
  const given = Buffer.from(claim.signature, 'hex');
  const right = signatureOf(request, claim, credentials.secretAccessKey);
  if (given.length !== right.length || !timingSafeEqual(given, right))
    throw new S3Error(
      403,
      'SignatureDoesNotMatch',
      'The signature we calculated does not match the one you provided.',
    );
  return checkedPayload(claim.payload);
}

function claimOfAddress({ fields }: S3Request, now: number): Claim {
  const field = (name: string) => fields.get(name) ?? '';
  const seconds = Number(field('x-amz-expires'));
  if (field('x-amz-algorithm') !== ALGORITHM || !(seconds > 0 && seconds <= MAX_EXPIRY_SECONDS))
    throw new S3Error(
      400,
      'AuthorizationQueryParametersError',
      'The algorithm must be AWS4-HMAC-SHA256 and the expiry at most a week.',
    );
  const date = field('x-amz-date');
  const signedAt = timeOf(date);
  if (now > signedAt + seconds * 1000) throw accessDenied('Request has expired');
  if (now < signedAt - MAX_SKEW_MS) throw accessDenied('Request is not valid yet');
  return {
    credential: field('x-amz-credential'),
    signedHeaders: field('x-amz-signedheaders').split(';'),
    signature: field('x-amz-signature'),
    date,
    payload: fields.get('x-amz-content-sha256') ?? UNSIGNED_PAYLOAD,
  };
}

function claimOfHeaders({ incoming, fields }: S3Request, now: number): Claim {
  const [, credential, signedHeaders, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/.exec(
      incoming.headers.authorization ?? '',
    ) ?? [];
  if (!credential || !signedHeaders || !signature) throw accessDenied();
  const date = fields.get('x-amz-date') ?? '';
  if (Math.abs(now - timeOf(date)) > MAX_SKEW_MS)
    throw new S3Error(403, 'RequestTimeTooSkewed', 'Your clock and ours differ too much.');
  const payload = fields.get('x-amz-content-sha256');
  if (payload === undefined) throw invalidRequest('x-amz-content-sha256 is missing.');
  return { credential, signedHeaders: signedHeaders.split(';'), signature, date, payload };
}

/** `20260131T235959Z` in milliseconds. */
function timeOf(date: string): number {
  const basic = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
  const time = basic.test(date)
    ? Date.parse(date.replace(basic, '$1-$2-$3T$4:$5:$6Z'))
    : Number.NaN;
  if (Number.isNaN(time)) throw accessDenied('X-Amz-Date is missing or wrong.');
  return time;
}

/** The holder of a signed URL must not be able to add a copy source or metadata. */
function refuseUnsignedHeaders({ incoming }: S3Request, signed: readonly string[]): void {
  const unsigned = Object.keys(incoming.headers).filter(
    (name) => name.startsWith('x-amz-') && !signed.includes(name),
  );
  if (unsigned.length > 0 || !signed.includes('host'))
    throw accessDenied('There were headers present in the request which were not signed.');
}

function checkedPayload(payload: string): string {
  if (payload === UNSIGNED_PAYLOAD || payload === CHUNKED_PAYLOAD) return payload;
  if (/^[0-9a-f]{64}$/.test(payload)) return payload;
  throw notImplemented(`x-amz-content-sha256 ${payload}`);
}

/** Any region is accepted: the signature proves the secret, not the region. */
function signatureOf(request: S3Request, claim: Claim, secret: string): Buffer {
  const [, day = '', region = '', ...rest] = claim.credential.split('/');
  if (day !== claim.date.slice(0, 8) || rest.join('/') !== 's3/aws4_request')
    throw accessDenied('The credential scope is wrong.');
  const scope = [day, region, 's3', 'aws4_request'];
  const key = scope.reduce<string | Buffer>(
    (signing, part) => hmac(signing, part),
    `AWS4${secret}`,
  );
  const request256 = createHash('sha256').update(canonicalRequest(request, claim)).digest('hex');
  return hmac(key, [ALGORITHM, claim.date, scope.join('/'), request256].join('\n'));
}

function canonicalRequest({ incoming, method, path, query }: S3Request, claim: Claim): string {
  const parameters = query
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [encodeUri(name), encodeUri(value)] as const)
    .toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y));
  const headers = claim.signedHeaders.map((name) => {
    const value = headerOf(incoming, name) ?? '';
    return `${name}:${value.trim().replaceAll(/ +/g, ' ')}\n`;
  });
  return [
    method,
    encodeKey(path),
    parameters.map((parameter) => parameter.join('=')).join('&'),
    headers.join(''),
    claim.signedHeaders.join(';'),
    claim.payload,
  ].join('\n');
}

const hmac = (key: string | Buffer, data: string) =>
  createHmac('sha256', key).update(data).digest();

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
