import { can } from '../../access/index.ts';
import { sweepEach } from '../../jobs/sweep-each.ts';
import { readerOf } from '../record-grants.ts';
import type { SharesFeature } from './feature.ts';
import type { MadeByManagers, ShareRecord } from './share-model.ts';

/** Whether the conversation is there, and whoever made the link may manage it. */
export async function mayStillLink(
  { others: { chat, workspaces } }: Pick<SharesFeature, 'others'>,
  share: Pick<ShareRecord, 'ownerId' | 'conversationOwnerId' | 'conversationId'>,
): Promise<boolean> {
  const { ownerId: userId, conversationOwnerId: ownerId, conversationId: id } = share;
  const conversation = await chat.conversations.find({ id, ownerId });
  if (!conversation) return false;
  const reader = userId === ownerId ? { userId } : await readerOf({ workspaces }, userId);
  return can(reader, 'manage', conversation);
}

/**
 * Ends the links of those who may no longer manage what they show. Until then they do not open, because each opening decides it; afterwards they
 * do not come back with the role, and what they showed is erased.
 */
export async function endUnmanaged(feature: SharesFeature, of: MadeByManagers): Promise<void> {
  const { shares, now } = feature;
  await sweepEach(await shares.byManagers(of, now()), async (share) => {
    if (!(await mayStillLink(feature, share))) await shares.end(share, now());
  });
}
