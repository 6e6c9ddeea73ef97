import type { CardTasks } from '../reading/index.ts';

/** What the child of the file reader does for personas. Loaded only when it is asked for: most children read other files. */
export const cardTasks: CardTasks = {
  readCard: async (folder) => (await import('./personas/cards/child.ts')).readCard(folder),
  writeCard: async (folder) => (await import('./personas/cards/child.ts')).writeCard(folder),
};
