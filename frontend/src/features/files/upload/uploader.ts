import {
  type AttachedFile,
  MULTIPART_FROM_BYTES,
  type User,
  type UserFile,
} from '@stolas/backend/contract';
import AwsS3 from '@uppy/aws-s3';
import Uppy, { type State } from '@uppy/core';
import GoldenRetriever from '@uppy/golden-retriever';
import { uploaderClosers } from '../../../lib/forget-uploads.ts';
import { attach } from './api.ts';
import { limitsOf, noteOf, type UploadLimits } from './limits.ts';
import { type Notices, noticesOf } from './notices.ts';
import { patiently } from './patience.ts';
import {
  type FileMeta,
  type Purpose,
  storeCalls,
  type UploadBody,
  type UploadFile,
  type UploadUppy,
} from './store-calls.ts';
import { BlockedError, LostUploadError, UploadStepError } from './upload-errors.ts';
import { type Upload, type UploadState, useUploadStore } from './upload-store.ts';

/** A stored file that belongs to the draft already; it counts as one of its files. */
export interface KnownFile {
  /** Uppy's id: the same file chosen again is a duplicate. */
  uploadId: string;
  id: string;
  name: string;
  type: string;
  size: number;
}

export interface UploaderOptions {
  /** Names what the browser keeps for it over a reload. */
  id: string;
  purpose: Purpose;
  /** Whose plan sets the limits. */
  user: Pick<User, 'subscriptionStatus' | 'subscriptionPlan'>;
  known?: readonly KnownFile[];
  /** A file is stored: from here on the server reads it. */
  onStored: (file: UserFile, upload: { id: string }) => void;
  /** A stored file was taken out of the uploader's list; it stays stored. */
  onRemoved?: (fileId: string) => void;
}

/** Largest file, and all files together, whose bytes the browser keeps over a reload. */
const KEPT_FILE_BYTES = 256 * 1024 * 1024;
const KEPT_BYTES = 1024 * 1024 * 1024;

const silent = { debug: () => undefined, warn: () => undefined, error: () => undefined };

/** The uploads of one draft, or of the file library. Its uploads go on while other screens are shown. */
export class Uploader {
  readonly id: string;
  readonly uppy: UploadUppy;
  private readonly options: UploaderOptions;
  private readonly notices: Notices;
  private readonly attaching = new Map<string, Promise<void>>();

  constructor(options: UploaderOptions) {
    const { id, purpose, user, known = [] } = options;
    this.id = id;
    this.options = options;
    this.uppy = new Uppy<FileMeta, UploadBody>({
      id,
      restrictions: restrictionsOf(limitsOf(purpose, user)),
      logger: silent,
      locale: LOCALE,
    });
    const { uppy } = this;
    this.notices = noticesOf(uppy);
    uppy.use(
      AwsS3<FileMeta, UploadBody>,
      storeCalls({
        purpose,
        onKey: (file, uploadKey) => uppy.setFileMeta(file.id, { uploadKey }),
      }),
    );
    uppy.addPostProcessor((ids) => this.attachAll(ids));
    uppy.setState({
      files: Object.fromEntries(known.map((file) => [file.uploadId, storedFile(file)])),
    });
    this.listen();
    // Without a service worker: IndexedDB keeps the bytes. Its options are those of its store.
    const indexedDB = {
      name: 'uppy-blobs',
      maxFileSize: KEPT_FILE_BYTES,
      maxTotalSize: KEPT_BYTES,
    };
    uppy.use(GoldenRetriever<FileMeta, UploadBody>, { indexedDB });
    uploaderClosers.add(this.close);
  }

  /** Takes files and starts their upload. Those that break a restriction are left out, with a notice. */
  add(files: readonly File[]): void {
    try {
      this.uppy.addFiles(
        files.map((data) => ({ name: data.name, type: data.type, data, meta: {} })),
      );
    } catch {
      // Uppy has shown why.
    }
    this.start();
  }

  /** Starts the files that wait for their start, and goes on with those that are paused. */
  start(): void {
    for (const { id, isPaused } of this.uppy.getFiles()) if (isPaused) this.pauseOrResume(id);
    if (this.uppy.getFiles().some(isNew)) this.uppy.upload().catch(() => undefined);
  }

  remove(uploadId: string): void {
    if (this.uppy.getFile(uploadId)) this.uppy.removeFile(uploadId);
  }

  /** Removes the file that was added with these data. */
  removeData(data: Blob): void {
    for (const file of this.uppy.getFiles()) if (file.data === data) this.remove(file.id);
  }

  /** The limits in one sentence. */
  get note(): string | null {
    return noteOf(limitsOf(this.options.purpose, this.options.user));
  }

  retry(uploadId: string): void {
    if (this.uppy.getFile(uploadId)) this.uppy.retryUpload(uploadId)?.catch(() => undefined);
  }

  pauseOrResume(uploadId: string): void {
    if (this.uppy.getFile(uploadId)) this.uppy.pauseResume(uploadId);
  }

  /** Forgets the stored files except `kept`; what is not stored yet, or has failed, stays. */
  removeStored(kept: ReadonlySet<string>): void {
    this.uppy.removeFiles(
      this.uppy
        .getFiles()
        .filter(({ meta }) => meta.fileId && !kept.has(meta.fileId))
        .map(({ id }) => id),
    );
  }

  get isEmpty(): boolean {
    return this.uppy.getFiles().length === 0;
  }

  /** While the modal is open it shows Uppy's messages itself. */
  setModalOpen(isOpen: boolean): void {
    this.notices.setShownElsewhere(isOpen);
  }

  /** Cancels every upload and removes what the browser keeps of them. */
  readonly close = (): void => {
    uploaderClosers.delete(this.close);
    this.uppy.destroy();
    useUploadStore.setState(({ [this.id]: _gone, ...others }) => others, true);
  };

  private listen(): void {
    const { uppy } = this;
    uppy.on('state-update', (former, state) => {
      if (former.files !== state.files) this.show(state);
    });
    uppy.on('upload-success', (file) => file && void this.attach(file.id));
    uppy.on('upload-error', (file, error) => file && this.recover(file.id, error));
    uppy.on('restored', () => this.restore());
    // A file of a former page that was chosen again goes on where it stopped.
    uppy.on('file-added', ({ id, isRestored, progress }) => {
      if (isRestored && progress.uploadStarted !== null) this.retry(id);
    });
    uppy.on('complete', ({ successful = [] }) => {
      const stored = successful.filter(({ id }) => uppy.getFile(id)?.meta.fileId);
      if (stored.length > 0) this.notices.uploaded(stored.length);
    });
    uppy.on('file-removed', ({ meta }) => meta.fileId && this.options.onRemoved?.(meta.fileId));
  }

  /** Failures that have a way on: another way to the server, or another start. The others are shown. */
  private recover(id: string, error: Error): void {
    const file = this.uppy.getFile(id);
    if (!file) return;
    if (error instanceof BlockedError && !file.meta.viaForm) {
      this.uppy.setFileMeta(id, { viaForm: true, uploadKey: undefined });
      this.notices.drop(file.name);
      this.retry(id);
    } else if (error instanceof LostUploadError) {
      this.notices.drop(file.name);
      void this.restartLost(file);
    } else this.notices.failed(file.name, error);
  }

  /** The store does not know the parts any more: the upload was completed in the last page, or it expired. */
  private async restartLost(file: UploadFile): Promise<void> {
    try {
      this.stored(file, await this.attachOnce(file));
      this.finish(file.id);
    } catch {
      if (!this.uppy.getFile(file.id) || !(file.data instanceof Blob)) return;
      // The plugin remembers an upload by its data: other data are another upload.
      const data = new File([file.data], file.name, { type: file.type });
      const fresh = { data, s3Multipart: undefined };
      this.uppy.setFileState(file.id, fresh);
      this.retry(file.id);
    }
  }

  private finish(id: string): void {
    const file = this.uppy.getFile(id);
    if (!file) return;
    this.uppy.setFileState(id, {
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
  }

  private async attachAll(ids: string[]): Promise<void> {
    await Promise.all(ids.map((id) => this.attaching.get(id) ?? this.attach(id)));
  }

  /** Makes a stored file of an uploaded object; once at a time. Failures are shown, not thrown. */
  private attach(id: string): Promise<void> {
    const running = this.attaching.get(id) ?? this.attachUploaded(id);
    this.attaching.set(id, running);
    return running.finally(() => this.attaching.delete(id));
  }

  private async attachUploaded(id: string): Promise<void> {
    const file = this.uppy.getFile(id);
    if (!file?.progress.uploadComplete || file.error || file.meta.fileId) return;
    try {
      this.stored(file, file.response?.body?.attached ?? (await this.attachOnce(file)));
      const now = this.uppy.getFile(id);
      if (now) this.uppy.emit('postprocess-complete', now);
    } catch (error) {
      const now = this.uppy.getFile(id);
      const failure = new UploadStepError('Failed to process uploaded files', error);
      if (now) this.uppy.emit('upload-error', now, failure);
    }
  }

  private attachOnce(file: UploadFile): Promise<AttachedFile> {
    const { purpose } = this.options;
    const uploadURL = keyOf(file) ?? file.uploadURL ?? '';
    const { name, type, size } = file;
    const body = { uploadURL, fileName: name, fileType: type, purpose };
    return patiently(() => attach({ ...body, ...(size !== null && { fileSize: size }) }));
  }

  private stored(file: UploadFile, attached: AttachedFile): void {
    // Removed meanwhile: the file is in the library, and in no message.
    if (!this.uppy.getFile(file.id)) return;
    this.uppy.setFileMeta(file.id, { fileId: attached.id });
    this.options.onStored(attached.file, { id: file.id });
  }

  /** Goes on with the uploads of the page before the reload. */
  private restore(): void {
    const { uppy } = this;
    const files = uppy.getFiles();
    const lost = new Set(files.filter(({ isGhost }) => isGhost).map(({ id }) => id));
    const { currentUploads } = uppy.getState();
    const going = Object.entries(currentUploads).flatMap(([id, upload]) => {
      const fileIDs = upload.fileIDs.filter((fileId) => !lost.has(fileId));
      return fileIDs.length > 0 ? [[id, { ...upload, fileIDs }] as const] : [];
    });
    uppy.setState({ currentUploads: Object.fromEntries(going), recoveredState: null });
    if (going.length > 0) uppy.emit('restore-confirmed');
    for (const { id } of files) void this.attach(id);
    this.notices.restored({
      files: files.filter(({ meta }) => !meta.fileId).length,
      lost: lost.size,
    });
  }

  private show({ files }: State<FileMeta, UploadBody>): void {
    const uploads = Object.values(files)
      .filter(({ meta }) => !meta.fileId)
      .map(uploadOf);
    useUploadStore.setState({ [this.id]: uploads });
  }
}

const LOCALE = {
  strings: {
    dashboardWindowTitle: 'Attach files (press Escape to close)',
    closeModal: 'Close',
  },
  pluralize: (n: number) => (n === 1 ? 0 : 1),
};

const restrictionsOf = ({ maxFiles, maxFileBytes }: UploadLimits) => ({
  maxNumberOfFiles: maxFiles,
  // Nothing can be asked about an empty file, and the store takes no empty part.
  minFileSize: 1,
  maxFileSize: maxFileBytes,
});

const isNew = ({ progress, isGhost }: UploadFile): boolean =>
  progress.uploadStarted === null && !isGhost;

/** The plugin keeps the key of an upload in parts with the file. */
function keyOf(file: UploadFile): string | undefined {
  const { s3Multipart } = file as { s3Multipart?: { key?: string } };
  return file.meta.uploadKey ?? s3Multipart?.key;
}

function storedFile({ uploadId, id, name, type, size }: KnownFile): UploadFile {
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

function uploadOf(file: UploadFile): Upload {
  const { id, name, size, progress, error, isGhost } = file;
  const state = stateOf(file);
  const problem = isGhost ? LOST : error;
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

const LOST = 'Choose this file again to continue its upload.';

function stateOf({ error, isGhost, isPaused, progress }: UploadFile): UploadState {
  if (isGhost) return 'lost';
  if (error) return 'failed';
  if (progress.uploadComplete) return 'processing';
  if (progress.uploadStarted === null) return 'added';
  return isPaused ? 'paused' : 'uploading';
}
