import { t } from 'virtual:texts/uploader';
import type { AttachedFile, UserFile } from '@stolas/backend/contract';
import { attach as callAttach } from './api.ts';
import { patiently } from './patience.ts';
import type { Purpose, UploadFile, UploadUppy } from './store-calls.ts';
import { UploadStepError } from './upload-errors.ts';
import { keyOf } from './uppy-files.ts';

interface AttachingOptions {
  uppy: UploadUppy;
  purpose: Purpose;
  onStored: (file: UserFile, upload: UploadFile) => void;
}

export type Attaching = ReturnType<typeof createAttaching>;

/** Makes stored files of uploaded objects, each once at a time. */
export function createAttaching({ uppy, purpose, onStored }: AttachingOptions) {
  const running = new Map<string, Promise<void>>();

  const call = (file: UploadFile): Promise<AttachedFile> => {
    const uploadURL = keyOf(file) ?? file.uploadURL ?? '';
    const { name, type, size } = file;
    const body = { uploadURL, fileName: name, fileType: type, purpose };
    return patiently(() => callAttach({ ...body, ...(size !== null && { fileSize: size }) }));
  };

  const store = (file: UploadFile, attached: AttachedFile) => {
    // The file was removed meanwhile: it is in the library, and in no message.
    if (!uppy.getFile(file.id)) return;
    uppy.setFileMeta(file.id, { fileId: attached.id });
    onStored(attached.file, file);
  };

  const attachUploaded = async (id: string) => {
    const file = uppy.getFile(id);
    if (!file?.progress.uploadComplete || file.error || file.meta.fileId) return;
    try {
      store(file, file.response?.body?.attached ?? (await call(file)));
      const now = uppy.getFile(id);
      if (now) uppy.emit('postprocess-complete', now);
    } catch (error) {
      const now = uppy.getFile(id);
      const failure = new UploadStepError(t('notProcessed'), error);
      if (now) uppy.emit('upload-error', now, failure);
    }
  };

  /** Attaches a file that is uploaded. Failures are shown, not thrown. */
  const attach = (id: string): Promise<void> => {
    const attaching = running.get(id) ?? attachUploaded(id);
    running.set(id, attaching);
    return attaching.finally(() => running.delete(id));
  };

  return {
    attach,
    attachAll: async (ids: string[]): Promise<void> => {
      await Promise.all(ids.map((id) => running.get(id) ?? attach(id)));
    },
    /** Attaches a file in whatever state Uppy has its upload. @throws the error of the call */
    attachAnyway: async (file: UploadFile): Promise<void> => store(file, await call(file)),
  };
}
