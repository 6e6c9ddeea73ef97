import { lazy } from 'react';

/** Loaded when the first file is added. */
export const UploadChips = lazy(async () => ({
  default: (await import('./chips.tsx')).UploadChips,
}));

/** Loaded when the upload button is first clicked. */
export const UploadModal = lazy(async () => ({
  default: (await import('./modal.tsx')).UploadModal,
}));

/** Loaded when files are first dragged over the page. */
export const DropOverlay = lazy(async () => ({
  default: (await import('./drop-overlay.tsx')).DropOverlay,
}));
