import { LAST_MESSAGES } from '../../personas/index.ts';
import type { MessageTree } from './tree-model.ts';

/** Reads the last messages of a path, by which a persona's knowledge is chosen; the oldest first. */
export const createLastTexts =
  (messages: Pick<MessageTree, 'path'>) =>
  async (end: { conversationId: string; leafId: string }): Promise<string[]> =>
    (await messages.path({ ...end, limit: LAST_MESSAGES })).map(({ content }) => content);
