import type { SearchResult } from '../../../contract/search.ts';
import type { MessageMatch } from '../../../search/index.ts';
import { snippetOf } from './snippet.ts';

export const presentResult = (
  { messageId, conversationId, role, createdAt, words }: MessageMatch,
  { title, content }: { title: string; content: string },
): SearchResult => ({
  conversationId,
  messageId,
  title,
  ...snippetOf(content, words),
  role,
  createdAt: createdAt.toISOString(),
});

type Place = Pick<MessageMatch, 'createdAt' | 'messageId'>;

export const cursorOf = ({ createdAt, messageId }: Place): string =>
  `${createdAt.toISOString()}-${messageId}`;

/** The place of a cursor that the contract has accepted. */
export const placeOf = (cursor: string): Place => ({
  createdAt: new Date(cursor.slice(0, 24)),
  messageId: cursor.slice(25),
});
