// What the chat and Settings need of links is small; the rest is loaded when it is first shown.
import { lazyPart } from '../../ui/lazy-part.tsx';

export { closeShareDialog, openShareDialog, useShareDialog } from './dialog-store.ts';

export const ShareDialog = lazyPart(async () => (await import('./share-dialog.tsx')).ShareDialog, {
  missing: 'floating',
});
export const WorkspaceLinks = lazyPart(
  async () => (await import('./workspace-links.tsx')).WorkspaceLinks,
);
export const LinksSection = lazyPart(
  async () => (await import('./links-section.tsx')).LinksSection,
);
