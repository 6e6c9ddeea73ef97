import { t } from 'virtual:texts/uploader';
import { type AttachedFile, MULTIPART_FROM_BYTES, partBytesOf } from '@stolas/backend/contract';
import type AwsS3 from '@uppy/aws-s3';
import type { AwsS3Options, AwsS3UploadParameters } from '@uppy/aws-s3';
import type { Uppy, UppyFile } from '@uppy/core';
import { ApiError, isGone, userMessageOf } from '../../../lib/api.ts';
import { getAuthToken } from '../../../lib/auth-token.ts';
import { pause } from '../../../lib/pause.ts';
import {
  abortMultipart,
  completeMultipart,
  createMultipart,
  createUpload,
  listParts,
  signPart,
} from './api.ts';
import {
  isServerReachable,
  isTransient,
  patiently,
  RETRY_DELAYS_MS,
  serverReachable,
} from './patience.ts';
import { type BytesAnswer, NoAnswerError, sendBytes } from './send-bytes.ts';
import { BlockedError, LostUploadError, UploadStepError } from './upload-errors.ts';

export type Purpose = 'chat' | 'library';

/** The data stored with each file, also over a reload. */
export interface FileMeta extends Record<string, unknown> {
  /** The object's key, once the server has made one for a direct upload. */
  uploadKey?: string | undefined;
  /** The browser cannot reach the store: the file goes to our own server as a form. */
  viaForm?: boolean;
  /** The stored file. */
  fileId?: string;
  /** A notice with an action already mentions the file; 'Files uploaded' would replace it. */
  isAnnounced?: boolean;
}

export type UploadBody = { location?: string; attached?: AttachedFile } & Record<string, unknown>;

export type UploadFile = UppyFile<FileMeta, UploadBody>;
export type UploadUppy = Uppy<FileMeta, UploadBody>;

const FORM_PATH = '/api/files';
/** After so many failures without an answer, while our server answers, the store counts as blocked. */
const BLOCKED_AFTER = 2;
/** The same for a store that has answered before: then the connection is bad, and the store not blocked. */
const LOST_AFTER = 12;

interface StoreCallsOptions {
  purpose: Purpose;
  /** Remembers the object's key with the file. */
  onKey: (file: UploadFile, key: string) => void;
}

/** How Uppy's S3 plugin talks to our server and to the store. */
export function storeCalls({ purpose, onKey }: StoreCallsOptions) {
  const sender = new StoreSender();
  return {
    limit: 6,
    retryDelays: RETRY_DELAYS_MS,
    shouldUseMultipart: ({ size, meta }) => !meta.viaForm && (size ?? 0) > MULTIPART_FROM_BYTES,
    getChunkSize: ({ size }) => partBytesOf(size),
    uploadPartBytes: (request) => sender.send(request),
    async getUploadParameters(file, { signal }) {
      if (file.meta.viaForm) return formParameters(purpose);
      const { name, type, size } = file;
      const body = { fileName: name, fileType: type, fileSize: size ?? 0 };
      const target = await inStep(
        t('noUrl'),
        patiently(() => createUpload({ ...body, purpose }, signal), signal),
      );
      onKey(file, target.key);
      const { uploadURL: url, headers, expiresIn: expires } = target;
      return { method: 'PUT', url, headers, expires };
    },
    createMultipartUpload: ({ name, type, size }) =>
      inStep(
        t('noUrl'),
        patiently(() =>
          createMultipart({ filename: name, type, metadata: { purpose, size: size ?? 0 } }),
        ),
      ),
    async listParts(_file, { key, uploadId = '', signal }) {
      try {
        return await patiently(() => listParts({ key, uploadId }, signal), signal);
      } catch (error) {
        if (isGone(error)) throw new LostUploadError();
        throw error;
      }
    },
    async signPart(_file, { key, uploadId, partNumber, signal }) {
      const { url, headers = {} } = await patiently(
        () => signPart({ key, uploadId }, partNumber, signal),
        signal,
      );
      return { method: 'PUT', url, headers };
    },
    async completeMultipartUpload(_file, { key, uploadId, parts, signal }) {
      const stored = parts.map(({ PartNumber = 0, ETag = '' }) => ({ PartNumber, ETag }));
      try {
        return await patiently(
          () => completeMultipart({ key, uploadId }, { parts: stored }),
          signal,
        );
      } catch (error) {
        // An earlier call may have completed it although its answer was lost; the key shows it.
        if (isGone(error)) return { location: key };
        throw error;
      }
    },
    abortMultipartUpload: async (_file, { key, uploadId = '' }) => {
      // The server sweeps the remaining parts.
      await abortMultipart({ key, uploadId }).catch(() => undefined);
    },
  } satisfies AwsS3Options<FileMeta, UploadBody>;
}

function formParameters(purpose: Purpose): AwsS3UploadParameters {
  const token = getAuthToken();
  return {
    method: 'POST',
    // In the query, so that the server knows the limit before the bytes arrive.
    url: new URL(`${FORM_PATH}?purpose=${purpose}`, location.origin).href,
    fields: {},
    headers: { ...(token !== null && { authorization: `Bearer ${token}` }) },
  };
}

/** A failed call as the step that failed, with the server's sentence where it has one. */
async function inStep<T>(step: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error;
    throw new UploadStepError(step, error);
  }
}

type SendRequest = Parameters<(typeof AwsS3)['uploadPartBytes']>[0];

/** Sends bytes to the store, or as a form to our server. */
class StoreSender {
  private hasReachedStore = false;

  async send(request: SendRequest): Promise<{ ETag: string; location?: string }> {
    const { signature, signal, size, onProgress, onComplete } = request;
    const isForm = signature.method === 'POST';
    const answer = await this.answerOf(request, isForm);
    if (answer.status === 401) throw new Error(t('unauthorized'));
    if (answer.status < 200 || answer.status >= 300) {
      throw Object.assign(new Error(problemOf(answer, isForm)), {
        source: { status: answer.status },
      });
    }
    signal?.throwIfAborted();
    onProgress?.({ loaded: size, lengthComputable: true });
    // A store that hides the ETag cannot take parts; a whole object needs none.
    if (!isForm && answer.etag === null && isPart(signature.url)) throw new BlockedError();
    onComplete?.(answer.etag ?? '');
    const attached = isForm ? { attached: JSON.parse(answer.text) as AttachedFile } : {};
    return { ETag: answer.etag ?? '', ...attached };
  }

  /** Repeats a request that got no answer, or one that may pass; Uppy itself repeats parts that were answered. */
  private async answerOf(request: SendRequest, isForm: boolean): Promise<BytesAnswer> {
    const { signature, body, signal, onProgress } = request;
    const { url, headers, method = 'PUT' } = signature;
    const isRepeatedHere = !isPart(url);
    for (let [unanswered, refused] = [0, 0]; ; ) {
      try {
        const answer = await sendBytes({
          method,
          url,
          headers,
          body,
          signal,
          onProgress: (loaded) => onProgress?.({ loaded, lengthComputable: true }),
        });
        if (!isForm) this.hasReachedStore = true;
        const delay = RETRY_DELAYS_MS[refused];
        if (!isRepeatedHere || delay === undefined || !isTransient(answer.status)) return answer;
        refused += 1;
        await pause(delay);
      } catch (error) {
        if (!(error instanceof NoAnswerError)) throw error;
        const isUp = await isServerReachable();
        if (!isUp) await serverReachable(signal);
        // A lost connection is no evidence about the store.
        else unanswered += 1;
        if (unanswered >= (this.hasReachedStore || isForm ? LOST_AFTER : BLOCKED_AFTER)) {
          throw new BlockedError();
        }
        await pause(RETRY_DELAYS_MS[Math.min(unanswered, 3)] ?? 0);
      }
    }
  }
}

const isPart = (url: string): boolean => /[?&]partNumber=/i.test(url);

function problemOf({ status, text }: BytesAnswer, isForm: boolean): string {
  if (status === 403 && text.includes('<Message>Request has expired</Message>')) {
    return t('requestExpired');
  }
  return (isForm && userMessageOf(new ApiError(status, text), '')) || t('refused');
}
