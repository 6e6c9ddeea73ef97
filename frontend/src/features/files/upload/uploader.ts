import type { User, UserFile } from '@stolas/backend/contract';
import AwsS3 from '@uppy/aws-s3';
import Uppy, { type State } from '@uppy/core';
import GoldenRetriever from '@uppy/golden-retriever';
import { uploaderClosers } from '../../../lib/forget-uploads.ts';
import { type Attaching, createAttaching } from './attaching.ts';
import { isDemo, limitsOf, noteOf, takesMoreInLibrary, type UploadLimits } from './limits.ts';
import { type Notices, noticesOf } from './notices.ts';
import { createRecovery } from './recovery.ts';
import {
  type FileMeta,
  type Purpose,
  storeCalls,
  type UploadBody,
  type UploadFile,
  type UploadUppy,
} from './store-calls.ts';
import { useUploadStore } from './upload-store.ts';
import { countUploaded, type UploadedCount } from './uploaded-count.ts';
import { isNew, type KnownFile, storedFile, uploadOf } from './uppy-files.ts';
import { uppyLocale } from './uppy-locale.ts';

export interface UploaderOptions {
  id: string;
  /** The name of the data that the browser stores for it over a reload; without one, its id. */
  storedAs?: string;
  purpose: Purpose;
  /** The user whose plan sets the limits. */
  user: Pick<User, 'subscriptionStatus' | 'subscriptionPlan'>;
  known?: readonly KnownFile[];
  /** A file is stored: from here on the server reads it. */
  onStored: (file: UserFile, upload: { id: string }) => void;
  /** A stored file was taken out of the uploader's list; it stays stored. */
  onRemoved?: (fileId: string) => void;
}

/** The size limits of a file, and of all files together, for storing their bytes over a reload. */
const KEPT_FILE_BYTES = 256 * 1024 * 1024;
const KEPT_BYTES = 1024 * 1024 * 1024;

const silent = { debug: () => undefined, warn: () => undefined, error: () => undefined };

/** The uploads of one draft, or of the file library. Its uploads go on while other screens are shown. */
export class Uploader {
  readonly id: string;
  readonly uppy: UploadUppy;
  private readonly options: UploaderOptions;
  private readonly notices: Notices;
  private readonly attaching: Attaching;
  private readonly uploaded: UploadedCount;
  private isModalOpen = false;
  private isFullShown = false;

  constructor(options: UploaderOptions) {
    const { id, storedAs = id, purpose, user, known = [] } = options;
    this.id = id;
    this.options = options;
    this.uppy = new Uppy<FileMeta, UploadBody>({
      id: storedAs,
      restrictions: restrictionsOf(limitsOf(purpose, user)),
      // Uppy would refuse all files of one call when they are too many.
      onBeforeFileAdded: ({ id }, files) => !Object.hasOwn(files, id) && this.hasRoom(files),
      logger: silent,
      locale: uppyLocale({ takesMoreInLibrary: takesMoreInLibrary(purpose, user) }),
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
    this.uploaded = countUploaded(this.notices.uploaded);
    this.attaching = createAttaching({
      uppy,
      purpose,
      onStored: (file, upload) => {
        if (!upload.meta.isAnnounced) this.uploaded.add();
        options.onStored(file, upload);
      },
    });
    uppy.addPostProcessor((ids) => this.attaching.attachAll(ids));
    uppy.setState({
      files: Object.fromEntries(known.map((file) => [file.uploadId, storedFile(file)])),
    });
    // Without a service worker: IndexedDB keeps the bytes. Its options are those of its store.
    const indexedDB = {
      name: 'uppy-blobs',
      maxFileSize: KEPT_FILE_BYTES,
      maxTotalSize: KEPT_BYTES,
    };
    uppy.use(GoldenRetriever<FileMeta, UploadBody>, { indexedDB });
    // After the plugin, which must have seen a change of the state before `recovery` changes it again.
    this.listen();
    uploaderClosers.add(this.close);
  }

  /** Adds files and starts their upload. Files that break a restriction are left out, with a notice. */
  add(files: readonly File[], meta: Pick<FileMeta, 'isAnnounced'> = {}): void {
    try {
      this.uppy.addFiles(files.map((data) => ({ name: data.name, type: data.type, data, meta })));
    } catch {
      // Uppy has shown the reason.
    }
    this.start();
  }

  /** Starts the waiting files, and continues paused ones. */
  start(): void {
    for (const { id, isPaused } of this.uppy.getFiles()) if (isPaused) this.pauseOrResume(id);
    const going = goingIds(this.uppy.getState());
    const isWaiting = this.uppy.getFiles().some((file) => isNew(file) && !going.has(file.id));
    if (isWaiting) this.uppy.upload().catch(() => undefined);
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

  /** @returns a promise that resolves when the retry has ended, in whatever way */
  async retry(uploadId: string): Promise<void> {
    if (!this.uppy.getFile(uploadId)) return;
    await this.uppy.retryUpload(uploadId)?.catch(() => undefined);
    // Uppy reports only the end of batches.
    this.uploaded.tell();
  }

  pauseOrResume(uploadId: string): void {
    if (this.uppy.getFile(uploadId)) this.uppy.pauseResume(uploadId);
  }

  /** Removes the stored files except `kept`; unfinished and failed files stay. */
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

  /** While the modal is open, it shows Uppy's messages and the stored files. */
  setModalOpen(isOpen: boolean): void {
    this.isModalOpen = isOpen;
    this.notices.setShownElsewhere(isOpen);
    this.forgetStored(this.uppy.getState());
  }

  /** Cancels every upload and removes the stored data of them. */
  readonly close = (): void => {
    uploaderClosers.delete(this.close);
    this.uppy.destroy();
    useUploadStore.setState(({ [this.id]: _gone, ...others }) => others, true);
  };

  private listen(): void {
    const { uppy, notices, attaching, uploaded } = this;
    const retry = (id: string) => this.retry(id);
    const recovery = createRecovery({ uppy, notices, attaching, uploaded, retry });
    if (this.options.purpose === 'chat') uppy.on('files-added', () => this.start());
    uppy.on('state-update', (former, _state, patch) => recovery.keepPresent(former, patch));
    uppy.on('state-update', (former, state) => {
      if (former.files !== state.files) this.show(state);
    });
    uppy.on('state-update', (_former, state) => this.forgetStored(state));
    uppy.on('upload-success', (file) => file && void attaching.attach(file.id));
    uppy.on('upload-error', (file, error) => file && recovery.recover(file.id, error));
    uppy.on('restored', recovery.restore);
    // A file of a former page that was chosen again continues where it stopped.
    uppy.on('file-added', ({ id, isRestored, progress }) => {
      if (isRestored && progress.uploadStarted !== null) void retry(id);
    });
    uppy.on('complete', uploaded.tell);
    uppy.on('file-removed', ({ meta }) => meta.fileId && this.options.onRemoved?.(meta.fileId));
  }

  /** Whether one more file may be added to these; shows a notice when it may not. */
  private hasRoom(files: Readonly<Record<string, UploadFile>>): boolean {
    const { maxFiles } = limitsOf(this.options.purpose, this.options.user);
    // A file that has to be chosen again takes no room, as Uppy counts.
    const taken = Object.values(files).filter(({ isGhost }) => !isGhost).length;
    if (maxFiles === null || taken < maxFiles) return true;
    // One notice for all files that are added together.
    if (!this.isFullShown) queueMicrotask(() => this.showFull(maxFiles));
    this.isFullShown = true;
    return false;
  }

  private showFull(maxFiles: number): void {
    this.isFullShown = false;
    const message = this.uppy.i18n('youCanOnlyUploadX', { smart_count: maxFiles });
    const isGuest = isDemo(this.options.user);
    if (this.isModalOpen && !isGuest) this.uppy.info(message, 'error');
    else this.notices.full(message, isGuest ? maxFiles : undefined);
  }

  /**
   * The library lists stored files. In the uploader, they would make the same file a duplicate when it is chosen again.
   */
  private forgetStored(state: State<FileMeta, UploadBody>): void {
    if (this.options.purpose !== 'library' || this.isModalOpen) return;
    const going = goingIds(state);
    const stored = Object.values(state.files).filter(
      ({ id, meta }) => meta.fileId && !going.has(id),
    );
    if (stored.length > 0) this.uppy.removeFiles(stored.map(({ id }) => id));
  }

  private show({ files }: State<FileMeta, UploadBody>): void {
    const uploads = Object.values(files)
      .filter(({ meta }) => !meta.fileId)
      .map(uploadOf);
    useUploadStore.setState({ [this.id]: uploads });
  }
}

/** The files of unfinished uploads. */
const goingIds = ({ currentUploads }: Pick<State<FileMeta, UploadBody>, 'currentUploads'>) =>
  new Set(Object.values(currentUploads).flatMap(({ fileIDs }) => fileIDs));

const restrictionsOf = ({ maxFiles, maxFileBytes }: UploadLimits) => ({
  maxNumberOfFiles: maxFiles,
  // An empty file has no text, and the store takes no empty part.
  minFileSize: 1,
  maxFileSize: maxFileBytes,
});
