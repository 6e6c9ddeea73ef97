// The dialog is loaded when it is first shown.
import { lazyPart } from '../../ui/lazy-part.tsx';

export { mayManage, roleIn, sharedBy } from './record.ts';

export const GrantsDialog = lazyPart(
  async () => (await import('./grants-dialog.tsx')).GrantsDialog,
  { missing: 'floating' },
);
