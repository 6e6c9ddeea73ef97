import { Router } from 'express';
import * as z from 'zod';
import {
  CompleteMultipartBody,
  CreateMultipartBody,
  CreateUploadBody,
  MultipartQuery,
  UploadMetadata,
} from '../../../contract/files.ts';
import { MAX_PARTS } from '../../../contract/limits.ts';
import { AppError } from '../../../errors.ts';
import { handler, type RateLimit } from '../../../http/index.ts';
import type { FilesFeature } from '../feature.ts';
import type { Declared } from './grants.ts';
import { createRateLimits, type RateLimits } from './rate-limits.ts';
import {
  abortMultipart,
  completeMultipart,
  createMultipart,
  createTarget,
  listParts,
  signPart,
  signWhole,
  temporaryCredentials,
} from './service.ts';

const WholeQuery = z.object({
  filename: z.string().min(1).max(1_000),
  type: z.string().max(200).optional(),
  'metadata[size]': UploadMetadata.shape.size,
  'metadata[purpose]': UploadMetadata.shape.purpose,
});
const UploadParams = z.object({ uploadId: z.string().max(1_000) });
const PartParams = UploadParams.extend({ partNumber: z.string() });

/** Calls by which browsers upload to the object store: with one signed URL, or in parts as Uppy does. */
export function uploadRoutes(files: FilesFeature, rateLimit: RateLimit): Router {
  const limits = createRateLimits(rateLimit);
  const router = Router();
  router.post(
    '/objects/upload',
    limits.begin,
    handler({ body: CreateUploadBody }, ({ actor, body }) => {
      const { fileName: name, fileType: type, fileSize: size, purpose } = body;
      return createTarget(files, actor, { name, type, size, purpose });
    }),
  );
  wholeFileRoutes(router, files, limits);
  partRoutes(router, files, limits);
  return router;
}

function wholeFileRoutes(router: Router, files: FilesFeature, limits: RateLimits): void {
  router.get(
    '/s3/params',
    limits.begin,
    handler({ query: WholeQuery }, async ({ actor, query }) => {
      const { filename, type } = query;
      const metadata = { size: query['metadata[size]'], purpose: query['metadata[purpose]'] };
      const declared: Declared = { name: filename, type, ...metadata };
      const { url, headers, expiresInSeconds } = await signWhole(files, actor, declared);
      return { method: 'PUT', url, fields: {}, headers, expires: expiresInSeconds };
    }),
  );
  router.get(
    '/s3/sts',
    limits.credentials,
    handler({}, ({ actor }) => temporaryCredentials(files, actor)),
  );
}

function partRoutes(router: Router, files: FilesFeature, limits: RateLimits): void {
  router.post(
    '/s3/multipart',
    limits.begin,
    handler({ body: CreateMultipartBody }, ({ actor, body }) => {
      const { filename: name, type, metadata } = body;
      return createMultipart(files, actor, { name, type: type ?? undefined, ...metadata });
    }),
  );
  const upload = { query: MultipartQuery, params: UploadParams };
  router.get(
    '/s3/multipart/:uploadId',
    limits.finish,
    handler(upload, ({ actor, query, params }) => listParts(files, actor, { ...query, ...params })),
  );
  router.get(
    '/s3/multipart/:uploadId/:partNumber',
    limits.parts,
    handler(
      { query: MultipartQuery, params: PartParams },
      async ({ actor, query, params: { uploadId, partNumber } }) => {
        const part = { ...query, uploadId, partNumber: parsePartNumber(partNumber) };
        const { url, headers, expiresInSeconds } = await signPart(files, actor, part);
        return { url, headers, expires: expiresInSeconds };
      },
    ),
  );
  router.post(
    '/s3/multipart/:uploadId/complete',
    limits.finish,
    handler({ ...upload, body: CompleteMultipartBody }, ({ actor, query, params, body }) =>
      completeMultipart(files, actor, { ...query, ...params, ...body }),
    ),
  );
  router.delete(
    '/s3/multipart/:uploadId',
    limits.finish,
    handler(upload, async ({ actor, query, params }) => {
      await abortMultipart(files, actor, { ...query, ...params });
      // Uppy reads every answer as JSON.
      return {};
    }),
  );
}

/** @throws AppError invalid_field */
function parsePartNumber(text: string): number {
  const number = Number(text);
  if (/^\d{1,5}$/.test(text) && number >= 1 && number <= MAX_PARTS) return number;
  throw new AppError('invalid_field', 'Parts are numbered from 1 to 10,000.', {
    details: { field: 'partNumber' },
  });
}
