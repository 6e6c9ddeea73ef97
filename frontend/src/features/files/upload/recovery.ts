import type { Attaching } from './attaching.ts';
import type { Notices } from './notices.ts';
import type { UploadFile, UploadUppy } from './store-calls.ts';
import { BlockedError, LostUploadError } from './upload-errors.ts';

interface RecoveryOptions {
  uppy: UploadUppy;
  notices: Notices;
  attaching: Attaching;
  retry: (id: string) => void;
}

/** How uploads go on after a failure or a reload of the page. */
export function createRecovery({ uppy, notices, attaching, retry }: RecoveryOptions) {
  /** The store does not know the parts any more: the upload was completed in the last page, or it expired. */
  const restartLost = async (file: UploadFile) => {
    try {
      await attaching.attachAnyway(file);
      finish(file.id);
    } catch {
      if (!uppy.getFile(file.id) || !(file.data instanceof Blob)) return;
      // The plugin remembers an upload by its data: other data are another upload.
      const data = new File([file.data], file.name, { type: file.type });
      const fresh = { data, s3Multipart: undefined };
      uppy.setFileState(file.id, fresh);
      retry(file.id);
    }
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
    /** Failures that have a way on: another way to the server, or another start. The others are shown. */
    recover: (id: string, error: Error): void => {
      const file = uppy.getFile(id);
      if (!file) return;
      if (error instanceof BlockedError && !file.meta.viaForm) {
        uppy.setFileMeta(id, { viaForm: true, uploadKey: undefined });
        notices.drop(file.name);
        retry(id);
      } else if (error instanceof LostUploadError) {
        notices.drop(file.name);
        void restartLost(file);
      } else notices.failed(file.name, error);
    },

    /** Goes on with the uploads of the page before the reload. */
    restore: (): void => {
      const files = uppy.getFiles();
      const lost = new Set(files.filter(({ isGhost }) => isGhost).map(({ id }) => id));
      const { currentUploads } = uppy.getState();
      const going = Object.entries(currentUploads).flatMap(([id, upload]) => {
        const fileIDs = upload.fileIDs.filter((fileId) => !lost.has(fileId));
        return fileIDs.length > 0 ? [[id, { ...upload, fileIDs }] as const] : [];
      });
      uppy.setState({ currentUploads: Object.fromEntries(going), recoveredState: null });
      if (going.length > 0) uppy.emit('restore-confirmed');
      for (const { id } of files) void attaching.attach(id);
      notices.restored({
        files: files.filter(({ meta }) => !meta.fileId).length,
        lost: lost.size,
      });
    },
  };
}
