import type {
  AttachBody,
  AttachedFile,
  CompleteMultipartBody,
  CreateMultipartBody,
  CreateUploadBody,
  MultipartUpload,
  UploadTarget,
} from '@stolas/backend/contract';
import { apiDelete, apiGet, apiPost } from '../../../lib/api.ts';

/** An upload in parts, as the store knows it. */
export interface PartsOf {
  uploadId: string;
  key: string;
}

export interface StoredPart {
  PartNumber?: number;
  Size?: number;
  ETag?: string;
}

export const createUpload = (body: CreateUploadBody, signal?: AbortSignal) =>
  apiPost<UploadTarget>('/api/objects/upload', body, { signal });

/** Makes a file of an uploaded object. Repeating it gives the same file. */
export const attach = (body: AttachBody) => apiPost<AttachedFile>('/api/objects/attach', body);

const pathOf = ({ uploadId }: PartsOf, rest = '') =>
  `/api/s3/multipart/${encodeURIComponent(uploadId)}${rest}`;
const keyOf = ({ key }: PartsOf) => `?key=${encodeURIComponent(key)}`;

export const createMultipart = (body: CreateMultipartBody) =>
  apiPost<MultipartUpload>('/api/s3/multipart', body);

export const listParts = (upload: PartsOf, signal?: AbortSignal) =>
  apiGet<StoredPart[]>(pathOf(upload) + keyOf(upload), { on401: 'throw', signal });

/** The signed address of one part. */
export const signPart = (upload: PartsOf, partNumber: number, signal?: AbortSignal) =>
  apiGet<{ url: string; headers?: Record<string, string>; expires?: number }>(
    pathOf(upload, `/${partNumber}`) + keyOf(upload),
    { on401: 'throw', signal },
  );

export const completeMultipart = (upload: PartsOf, body: CompleteMultipartBody) =>
  apiPost<{ location?: string }>(pathOf(upload, '/complete') + keyOf(upload), body);

export const abortMultipart = (upload: PartsOf) => apiDelete(pathOf(upload) + keyOf(upload));
