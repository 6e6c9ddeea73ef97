import type { Conversation } from '@stolas/backend/contract';
import { byLastUpdate, contains } from '../../../realtime/index.ts';

interface View {
  stars: ReadonlySet<string>;
  search: string;
}

/** Each conversation once, if its title contains the search: starred ones first, then the last updated. */
export function arrange(
  conversations: readonly Conversation[],
  { stars, search }: View,
): Conversation[] {
  const byId = new Map(conversations.map((conversation) => [conversation.id, conversation]));
  return [...byId.values()]
    .filter(({ title }) => contains(title, search))
    .toSorted((a, b) => Number(stars.has(b.id)) - Number(stars.has(a.id)) || byLastUpdate(a, b));
}
