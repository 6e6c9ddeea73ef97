// All supported calls: a request that matches no line of this table is refused, even if S3 supports it.
import { bucketRoutes } from './bucket-routes.ts';
import { notImplemented } from './errors.ts';
import { objectRoutes } from './object-routes.ts';
import type { S3Request } from './request.ts';
import type { Route } from './route.ts';
import { uploadRoutes } from './upload-routes.ts';

/** Fields without effect, and fields by which the signature and the body are checked on every route. */
const EVERYWHERE = [
  'x-id',
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-expires',
  'x-amz-signedheaders',
  'x-amz-signature',
  'x-amz-user-agent',
  'x-amz-content-sha256',
  'x-amz-decoded-content-length',
  'x-amz-trailer',
  'x-amz-sdk-checksum-algorithm',
  'x-amz-checksum-crc32',
  'x-amz-checksum-sha256',
];

/** Fields of which only some values are supported. */
const VALUES: Readonly<Record<string, RegExp>> = {
  'list-type': /^2$/,
  'fetch-owner': /^false$/,
  'encoding-type': /^url$/,
  'x-amz-acl': /^private$/,
  'x-amz-storage-class': /^STANDARD$/,
  'x-amz-trailer': /^x-amz-checksum-(crc32|sha256)$/,
  'x-amz-sdk-checksum-algorithm': /^(CRC32|SHA256)$/,
  'x-amz-checksum-algorithm': /^(CRC32|SHA256)$/,
};

/** Headers that change the meaning of a request. */
const CONDITIONS = [
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
  'range',
];

const ROUTES: readonly Route[] = [...uploadRoutes, ...bucketRoutes, ...objectRoutes];

/** @throws S3Error NotImplemented when no route supports every field of the request */
export function routeOf({ incoming, method, bucket, key, fields }: S3Request): Route {
  const on = bucket === '' ? 'service' : key === '' ? 'bucket' : 'object';
  const route = ROUTES.find(
    (candidate) =>
      candidate.method === method &&
      candidate.on === on &&
      (candidate.needs ?? []).every((name) => fields.has(name)) &&
      [...fields.keys()].every((name) => knows(candidate, name)),
  );
  if (!route) throw notImplemented(`${method} of a ${on} with ${[...fields.keys()].join(', ')}`);
  const condition = CONDITIONS.find((name) => name in incoming.headers);
  if (condition && !route.conditions?.includes(condition))
    throw notImplemented(`${condition} on ${method} of a ${on}`);
  for (const [name, value] of fields)
    if (VALUES[name]?.test(value) === false) throw notImplemented(`${name}=${value}`);
  return route;
}

function knows({ needs = [], allows = [] }: Route, name: string): boolean {
  return [...EVERYWHERE, ...needs, ...allows].some((known) =>
    known.endsWith('*') ? name.startsWith(known.slice(0, -1)) : name === known,
  );
}
