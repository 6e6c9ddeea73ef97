import { create } from 'zustand';

/**
 * `added`: waits for its start. `processing`: every byte is stored, and the server makes a file of it. `lost`: the
 * browser could not keep its bytes over a reload; choosing the file again continues the upload.
 */
export type UploadState = 'added' | 'uploading' | 'paused' | 'processing' | 'failed' | 'lost';

/** A file that is not stored yet. */
export interface Upload {
  id: string;
  name: string;
  /** Bytes. */
  size: number;
  state: UploadState;
  /** 0 to 100. */
  percent: number;
  canPause: boolean;
  /** One sentence for the user; with `failed` and `lost`. */
  problem?: string;
}

const NONE: readonly Upload[] = [];

/** The uploads of each uploader, by its id. */
export const useUploadStore = create<Readonly<Record<string, readonly Upload[]>>>(() => ({}));

export const useUploads = (uploaderId: string | undefined): readonly Upload[] =>
  useUploadStore((uploads) => (uploaderId ? uploads[uploaderId] : undefined) ?? NONE);

export const uploadsOf = (uploaderId: string | undefined): readonly Upload[] =>
  (uploaderId ? useUploadStore.getState()[uploaderId] : undefined) ?? NONE;

export const isUnderway = ({ state }: Upload): boolean =>
  state === 'added' || state === 'uploading' || state === 'paused' || state === 'processing';
