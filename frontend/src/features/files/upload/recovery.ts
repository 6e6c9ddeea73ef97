import type { State } from '@uppy/core';
import type { Attaching } from './attaching.ts';
import type { Notices } from './notices.ts';
import type { FileMeta, UploadBody, UploadFile, UploadUppy } from './store-calls.ts';
import { BlockedError, LostUploadError } from './upload-errors.ts';
import type { UploadedCount } from './uploaded-count.ts';

interface RecoveryOptions {
  uppy: UploadUppy;
  notices: Notices;
  attaching: Attaching;
  uploaded: UploadedCount;
  /** Resolves when the retry has succeeded or failed. */
  retry: (id: string) => Promise<void>;
}

type UploadState = State<FileMeta, UploadBody>;

/** Continues uploads after a failure or a reload of the page. */
export function createRecovery(options: RecoveryOptions) {
  const { uppy, notices, attaching, uploaded, retry } = options;
  /** The uploads of the page before the reload. */
  let restored: UploadState['currentUploads'] = {};
  let restoredFiles: readonly string[] = [];

  /** The store no longer knows the parts: the last page completed the upload, or it expired. */
  const restartLost = async (file: UploadFile) => {
    try {
      await attaching.attachAnyway(file);
      finish(file.id);
    } catch {
      if (!uppy.getFile(file.id) || !(file.data instanceof Blob)) return;
      // The plugin identifies an upload by its data: other data are another upload.
      const data = new File([file.data], file.name, { type: file.type });
      const fresh = { data, s3Multipart: undefined };
      uppy.setFileState(file.id, fresh);
      await retry(file.id);
    }
  };

  /** Resolves when the uploads that a file is part of now have ended. */
  const batchOf = (fileId: string): Promise<void> => {
    const { currentUploads } = uppy.getState();
    const ids = Object.keys(withFiles(currentUploads, (id) => id === fileId));
    return new Promise((resolve) => {
      const check = () => {
        const { currentUploads: now } = uppy.getState();
        if (ids.some((id) => id in now)) return;
        uppy.off('state-update', check);
        resolve();
      };
      uppy.on('state-update', check);
      check();
    });
  };

  const finish = (id: string) => {
    const file = uppy.getFile(id);
    if (!file) return;
    uppy.setFileState(id, {
      error: null,
      progress: {
        ...file.progress,
        uploadStarted: file.progress.uploadStarted ?? Date.now(),
        bytesUploaded: file.size ?? 0,
        percentage: 100,
        uploadComplete: true,
        complete: true,
      },
    });
  };

  return {
    /** Failures that can be resolved by another way to the server, or another start. Other failures are shown. */
    recover: (id: string, error: Error): void => {
      const file = uppy.getFile(id);
      if (!file) return;
      if (error instanceof BlockedError && !file.meta.viaForm) {
        uppy.setFileMeta(id, { viaForm: true, uploadKey: undefined });
        notices.drop(file.name);
        uploaded.during(Promise.all([batchOf(id), retry(id)]));
      } else if (error instanceof LostUploadError) {
        notices.drop(file.name);
        uploaded.during(Promise.all([batchOf(id), restartLost(file)]));
      } else notices.failed(file.name, error);
    },

    /**
     * Golden retriever replaces all files and uploads by those of the page before the reload, some time after the
     * uploader was created. The files added by then stay.
     */
    keepPresent: (former: UploadState, patch?: Partial<UploadState>): void => {
      if (!patch || !isRestoring(patch)) return;
      const isRestored = (id: string) => !(id in former.files);
      restoredFiles = Object.keys(patch.files).filter(isRestored);
      restored = withFiles(patch.currentUploads, isRestored);
      uppy.setState({
        files: { ...patch.files, ...former.files },
        currentUploads: { ...restored, ...former.currentUploads },
      });
    },

    /** Continues the uploads of the page before the reload. */
    restore: (): void => {
      const files = restoredFiles.flatMap((id) => uppy.getFile(id) ?? []);
      const lost = new Set(files.filter(({ isGhost }) => isGhost).map(({ id }) => id));
      const going = withFiles(restored, (id) => !lost.has(id));
      const others = omit(uppy.getState().currentUploads, Object.keys(restored));
      uppy.setState({ currentUploads: { ...others, ...going }, recoveredState: null });
      for (const { fileIDs } of Object.values(going))
        for (const id of fileIDs) uppy.setFileState(id, { isPaused: false, error: null });
      for (const id of Object.keys(going)) uppy.restore(id).catch(() => undefined);
      uploaded.during(Promise.all(files.map(({ id }) => attaching.attach(id))));
      notices.restored({
        files: files.filter(({ meta }) => !meta.fileId).length,
        lost: lost.size,
      });
    },
  };
}

type Restoring = Pick<UploadState, 'files' | 'currentUploads' | 'recoveredState'>;

/**
 * Whether golden retriever made a change of the state. Uppy changes the same fields, and more, when the last file is
 * removed.
 */
const isRestoring = (patch: Partial<UploadState>): patch is Restoring =>
  ['files', 'currentUploads', 'recoveredState'].every((key) => key in patch) &&
  !('allowNewUpload' in patch);

/** The uploads with those of their files that are `wanted`; without such a file there is no upload. */
const withFiles = (uploads: UploadState['currentUploads'], wanted: (id: string) => boolean) =>
  Object.fromEntries(
    Object.entries(uploads).flatMap(([id, upload]) => {
      const fileIDs = upload.fileIDs.filter(wanted);
      return fileIDs.length > 0 ? [[id, { ...upload, fileIDs }] as const] : [];
    }),
  );

const omit = <T>(record: Readonly<Record<string, T>>, keys: readonly string[]) =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
