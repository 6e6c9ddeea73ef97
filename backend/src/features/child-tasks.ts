import type { ChildTasks } from '../reading/index.ts';

/** The tasks of the file reader's child for features, loaded on first use because most children read other files. */
export const childTasks: ChildTasks = {
  readCard: async (folder) => (await import('./personas/cards/child.ts')).readCard(folder),
  writeCard: async (folder) => (await import('./personas/cards/child.ts')).writeCard(folder),
  readImport: async (folder) => (await import('./chat/exports/child.ts')).readImport(folder),
};
