import type { ConversationRecord } from '../conversations/index.ts';
import type { Place } from './tree.ts';

/** Later than every other message of the conversation, whatever the clocks of web processes say. */
export function nextTime({ updatedAt }: ConversationRecord, siblings: Place[], now: Date): Date {
  const last = Math.max(updatedAt.getTime(), siblings.at(-1)?.createdAt.getTime() ?? 0);
  return new Date(Math.max(now.getTime(), last + 1));
}

/** The ids of siblings, with that of a message that may have been created after they were read. */
export const withId = (siblings: Place[], id: string): string[] => [
  ...new Set([...siblings.map((sibling) => sibling.id), id]),
];
