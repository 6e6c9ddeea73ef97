import type { ChildTasks } from '../reading/index.ts';

/** What the child of the file reader does for features. Loaded only when it is asked for: most children read other files. */
export const childTasks: ChildTasks = {
  readCard: async (folder) => (await import('./personas/cards/child.ts')).readCard(folder),
  writeCard: async (folder) => (await import('./personas/cards/child.ts')).writeCard(folder),
  readImport: async (folder) => (await import('./chat/exports/child.ts')).readImport(folder),
};
