import type { MessagesElsewhere } from '../../../contract/privacy.ts';
import type { ChatFeature } from '../feature.ts';

/** The messages of a user in conversations of others. */
export const countElsewhere = (
  { authored }: Pick<ChatFeature, 'authored'>,
  userId: string,
): Promise<MessagesElsewhere> => authored.count(userId);

/**
 * Ends what a deleted account has in conversations of others: erases its messages there, or keeps them as those of a former member. It can be
 * repeated.
 */
export async function endElsewhere(
  { authored }: Pick<ChatFeature, 'authored'>,
  userId: string,
  { erase }: { erase: boolean },
): Promise<MessagesElsewhere> {
  if (erase) await authored.erase(userId);
  return authored.count(userId);
}

/** Stops what still runs for a deleted account in conversations of others. */
export async function stopElsewhere(
  { authored, stopReplies }: Pick<ChatFeature, 'authored' | 'stopReplies'>,
  userId: string,
): Promise<void> {
  for (const reply of await authored.activeReplies(userId)) await stopReplies(reply);
}
