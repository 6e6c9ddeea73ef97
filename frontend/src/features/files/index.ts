// What the first load of the chat needs is small; everything else is loaded when it is first shown.

export { fileQuery, isUsable } from './api.ts';
export { hideUnfinishedSource } from './citations/source-text.ts';
export {
  DropOverlay,
  FilePicker,
  FileViewer,
  MessageFiles,
  ReplySources,
  SourceLinks,
  StorageUse,
  UploadChips,
  UploadModal,
} from './lazy.tsx';
export { NO_FILE, openFile, useFilePlace } from './place.ts';
export { takeAttachedFiles } from './upload/draft-files.ts';
export { formatSize } from './upload/file-size.ts';
export {
  closeUploader,
  hasUnfinished,
  openedUploader,
  openUploader,
  resumeUploader,
} from './upload/open-uploader.ts';
export {
  isUnderway,
  uploadsOf,
  useUploadStore,
  useUploads,
} from './upload/upload-store.ts';
export type { Uploader } from './upload/uploader.ts';
export type { KnownFile } from './upload/uppy-files.ts';
export { useFileDrop } from './upload/use-file-drop.ts';
export { useViewerWidth } from './viewer/viewer-store.ts';
