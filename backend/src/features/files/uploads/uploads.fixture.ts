import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { atEnd } from '../../../../test/at-end.ts';
import { testCore } from '../../../../test/core.ts';
import { type Actor, sessionActor } from '../../../access/index.ts';
import type { AttachedFile, UploadTarget } from '../../../contract/files.ts';
import { AppError } from '../../../errors.ts';
import { createApp, type RateLimit } from '../../../http/index.ts';
import { serve } from '../../../http/serve.fixture.ts';
import { createS3ObjectStore, type ObjectStore } from '../../../objects/index.ts';
import { embeddedStore } from '../../../objects/s3/s3.fixture.ts';
import { createFilesFeature, defineModels, type FilesFeature } from '../feature.ts';
import { OTHERS } from '../files.fixture.ts';
import type { LimitsFor } from '../library/plan-limits.ts';
import { formRoutes } from './form.ts';
import { uploadRoutes } from './routes.ts';
import { sweepUploads } from './sweep.ts';

/** Maximum size of a file in these tests. */
export const FILE_BYTES = 30 * 1024 * 1024;

/** Maximum size of all files of a user. */
export const STORAGE_BYTES = 10 * FILE_BYTES;

/** A user who is a guest. */
export const GUEST = 'e'.repeat(24);

/** A user who may not upload. */
export const WITHOUT_PLAN = 'f'.repeat(24);

/** Uploads on a separate database, with the embedded object store and a clock that the test sets. */
export async function openUploads({ publicEndpoint }: { publicEndpoint?: string } = {}) {
  let time = new Date();
  const now = () => time;
  const objects = createS3ObjectStore({ ...embeddedStore(), publicEndpoint });
  const core = await testCore({ overrides: { objects, now } });
  const models = defineModels(core.connection);
  const made = createFilesFeature({ ...core, models }, OTHERS);
  /** Bytes of the stored files of every user. */
  const stored = { bytes: 0 };
  const find = async () => ({ used: stored.bytes, version: 0, pending: [] });
  const files: FilesFeature = {
    ...made,
    limitsFor,
    storedBytes: { ...made.storedBytes, find },
  };
  const attached: object[] = [];
  const rateLimit: RateLimit = () => (_req, _res, next) => next();
  const forms = formRoutes(files, {
    rateLimit,
    attach: async (actor, upload) => {
      const facts = await objects.head(upload.uploadURL);
      attached.push({ ownerId: actor.userId, ...upload, size: facts?.size });
      return { key: upload.uploadURL } as AttachedFile;
    },
  });
  const app = createApp({
    config: { TRUST_PROXY: 0 },
    log: core.log,
    authenticate: async (token) => actorOf(token),
    routers: [uploadRoutes(files, rateLimit)],
    rawRouters: [forms],
  });
  const { url, stop } = await serve(app);
  atEnd(stop);

  return {
    url,
    model: models.uploads,
    uploads: files.uploads,
    objects,
    attached,
    inUse: stored,
    now,
    sweep: (store: Pick<ObjectStore, 'removeAll'> = objects) =>
      sweepUploads({ ...files, objects: { ...objects, ...store } }),
    wait: (ms: number) => {
      time = new Date(time.getTime() + ms);
    },
    /** The text of a stored object. */
    stored: async (key: string) => text(await objects.read(key)),
    user: () => new Uploader(url, randomBytes(12).toString('hex')),
  };
}

export type Uploads = Awaited<ReturnType<typeof openUploads>>;

/** The token of these tests is the user's id. */
const actorOf = (userId: string): Actor =>
  sessionActor({ userId, sessionId: userId, isGuest: userId === GUEST });

const limitsFor: LimitsFor = async ({ userId }) => {
  if (userId === WITHOUT_PLAN) throw new AppError('subscription_required', 'Choose a plan.');
  return {
    fileBytes: FILE_BYTES,
    storageBytes: STORAGE_BYTES,
    tooLarge: ({ name }) =>
      new AppError('too_large', `${name} exceeds maximum allowed size of 30 MB.`),
  };
};

interface Answer<T> {
  status: number;
  body: T;
}

/** A user who calls the API. */
export class Uploader {
  constructor(
    readonly url: string,
    readonly id: string,
  ) {}

  get headers() {
    return { authorization: `Bearer ${this.id}` };
  }

  async call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer<T>> {
    const isForm = body instanceof FormData;
    const response = await fetch(`${this.url}/api${path}`, {
      method,
      headers: {
        ...this.headers,
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as T };
  }

  /** Requests a URL to upload to. */
  target(body: object = {}) {
    return this.call<UploadTarget>('POST', '/objects/upload', { fileSize: 5, ...body });
  }

  /** Begins a multipart upload. */
  async begin(metadata: object = {}) {
    const { body } = await this.call<{ key: string; uploadId: string; bucket: string }>(
      'POST',
      '/s3/multipart',
      { filename: 'a.pdf', type: 'application/pdf', metadata: { size: 5, ...metadata } },
    );
    return body;
  }
}

/** Uploads to a signed URL. */
export const put = (url: string, body: string) => fetch(url, { method: 'PUT', body });

/** The path of calls about a multipart upload. */
export const pathOf = (
  { key, uploadId }: { key: string; uploadId: string },
  rest: string = '',
): string => `/s3/multipart/${encodeURIComponent(uploadId)}${rest}?key=${encodeURIComponent(key)}`;
