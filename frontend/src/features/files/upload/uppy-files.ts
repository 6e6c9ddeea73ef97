import { t } from 'virtual:texts/uploader';
import { MULTIPART_FROM_BYTES } from '@stolas/backend/contract';
import type { UploadFile } from './store-calls.ts';
import type { Upload, UploadState } from './upload-store.ts';

/** A stored file that belongs to the draft already; it counts as one of its files. */
export interface KnownFile {
  /** Uppy's id: the same file chosen again is a duplicate. */
  uploadId: string;
  id: string;
  name: string;
  type: string;
  size: number;
}

export const isNew = ({ progress, isGhost }: UploadFile): boolean =>
  progress.uploadStarted === null && !isGhost;

/** The plugin keeps the key of an upload in parts with the file. */
export function keyOf(file: UploadFile): string | undefined {
  const { s3Multipart } = file as { s3Multipart?: { key?: string } };
  return file.meta.uploadKey ?? s3Multipart?.key;
}

/** A known file as one that Uppy has uploaded. */
export function storedFile({ uploadId, id, name, type, size }: KnownFile): UploadFile {
  return {
    id: uploadId,
    name,
    type,
    size,
    extension: /\.([^.]+)$/.exec(name)?.[1] ?? '',
    isGhost: false,
    isRemote: false,
    data: undefined,
    meta: { name, type, fileId: id },
    progress: {
      uploadStarted: 1,
      uploadComplete: true,
      complete: true,
      percentage: 100,
      bytesUploaded: size,
      bytesTotal: size,
    },
  };
}

/** The shown state of a file that is not stored yet. */
export function uploadOf(file: UploadFile): Upload {
  const { id, name, size, progress, error, isGhost } = file;
  const state = stateOf(file);
  const problem = isGhost ? t('chooseAgain') : error;
  return {
    id,
    name,
    size: size ?? 0,
    state,
    percent: progress.percentage ?? 0,
    canPause: !file.meta.viaForm && (size ?? 0) > MULTIPART_FROM_BYTES,
    ...(problem && { problem }),
  };
}

function stateOf({ error, isGhost, isPaused, progress }: UploadFile): UploadState {
  if (isGhost) return 'lost';
  if (error) return 'failed';
  if (progress.uploadComplete) return 'processing';
  if (progress.uploadStarted === null) return 'added';
  return isPaused ? 'paused' : 'uploading';
}
