import type { MessagesElsewhere } from '../../../contract/privacy.ts';
import type { ChatFeature } from '../feature.ts';
import type { AuthoredIn } from './authored-model.ts';

/** In place of a title that was an erased message. */
const NEUTRAL_TITLE = 'Conversation of a former member';

/**
 * Ends what a deleted account has in conversations of others: erases its messages there with what repeats them, or keeps them as those of a
 * former member. It can be repeated.
 */
export async function endElsewhere(
  chat: Pick<ChatFeature, 'authored' | 'conversations' | 'others'>,
  userId: string,
  { erase }: { erase: boolean },
): Promise<MessagesElsewhere> {
  const { authored, others } = chat;
  const places = await authored.places(userId);
  if (erase) {
    // Before the messages, by which the titles are recognised.
    for (const place of places) await eraseTitle(chat, place);
    await authored.erase(userId);
    for (const place of places) await authored.eraseQuotes(place);
  }
  // After the messages: a snapshot of them may be made until then.
  const conversationIds = places.map(({ conversationId }) => conversationId);
  await others.shares.endSnapshots(conversationIds, { withNamesOnly: !erase });
  return authored.count(userId);
}

/** Replaces the title of a conversation whose first message is erased and has given it. */
async function eraseTitle(
  { authored, conversations, others }: Pick<ChatFeature, 'authored' | 'conversations' | 'others'>,
  place: AuthoredIn,
): Promise<void> {
  // Also in the trash, and while it passes to another owner.
  const found = await conversations.findAny(place.conversationId);
  if (!found) return;
  const { title: from } = found;
  if (!(await authored.firstTexts(place)).some((text) => isTitleOf(from, text))) return;
  const change = { from, to: NEUTRAL_TITLE };
  // The conversation last: after a crash its title is still found.
  await others.shares.retitle(found.id, change);
  await conversations.retitle(found, change);
}

/** Whether the text is the title, or its beginning ('Branches and pages'). */
function isTitleOf(title: string, text: string): boolean {
  const line = text.replace(/\s+/g, ' ').trim();
  return line === title || (title.endsWith('...') && line.startsWith(title.slice(0, -3)));
}

/** Stops what still runs for a deleted account in conversations of others. */
export async function stopElsewhere(
  { authored, stopReplies }: Pick<ChatFeature, 'authored' | 'stopReplies'>,
  userId: string,
): Promise<void> {
  for (const reply of await authored.activeReplies(userId)) await stopReplies(reply);
}
