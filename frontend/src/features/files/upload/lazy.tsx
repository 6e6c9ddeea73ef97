import { lazyPart } from '../../../ui/lazy-part.tsx';

/** Loaded when the first file is added. */
export const UploadChips = lazyPart(async () => (await import('./chips.tsx')).UploadChips);

/** Loaded when the upload button is first clicked. */
export const UploadModal = lazyPart(async () => (await import('./modal.tsx')).UploadModal, {
  missing: 'floating',
});

/** Loaded when files are first dragged over the page, which accepts them without it too. */
export const DropOverlay = lazyPart(async () => (await import('./drop-overlay.tsx')).DropOverlay, {
  missing: 'fallback',
});
