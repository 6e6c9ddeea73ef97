import type { Conversation } from './conversations.ts';

/** Where a page of conversations ends. */
export const conversationCursor = ({
  updatedAt,
  id,
}: Pick<Conversation, 'updatedAt' | 'id'>): string => `${updatedAt}_${id}`;
