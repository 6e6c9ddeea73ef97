import type { Conversation } from '@stolas/backend/contract';
import { byLastUpdate, contains } from '../../../realtime/index.ts';

export interface View {
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

/** The headings of the list, in order. */
const GROUPS = ['starred', 'today', 'earlier'] as const;

interface Group {
  name: (typeof GROUPS)[number];
  conversations: readonly Conversation[];
}

/** Arranged conversations under their headings, by the reader's calendar; a heading without any is left out. */
export function group(
  arranged: readonly Conversation[],
  { stars, now = new Date() }: { stars: ReadonlySet<string>; now?: Date },
): Group[] {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  const nameOf = ({ id, updatedAt }: Conversation): Group['name'] => {
    if (stars.has(id)) return 'starred';
    return new Date(updatedAt) >= midnight ? 'today' : 'earlier';
  };
  return GROUPS.map((name) => ({
    name,
    conversations: arranged.filter((conversation) => nameOf(conversation) === name),
  })).filter(({ conversations }) => conversations.length > 0);
}
