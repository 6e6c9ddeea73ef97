import { ownPayer } from '../../payer.ts';
import type { MessageModel } from './model.ts';

interface HandedOver {
  conversationId: string;
  from: string;
  to: string;
}

/** The messages of a conversation that passes from one owner to another. */
export const createHandedOverStore = (model: MessageModel) => ({
  /**
   * Gives the messages to the next owner, with their authors and payers as they were. Memories and the feedback of the former owner do not
   * follow. It can be repeated; messages without the new owner are found by the former one, so the owner changes last.
   */
  move: async ({ conversationId, from, to }: HandedOver): Promise<void> => {
    const old = { conversationId, ownerId: from };
    await model.updateMany({ ...old, role: 'user', authorId: null }, { $set: { authorId: from } });
    await model.updateMany(
      { ...old, role: 'assistant', payer: null },
      { $set: { payer: ownPayer(from) } },
    );
    await model.updateMany(
      { ...old, role: 'assistant' },
      {
        $unset: { 'metadata.memoryReceipt': 1, feedback: 1 },
        $pull: { ratings: { userId: from } },
      },
    );
    await model.updateMany({ ...old, content: '' }, { $set: { ownerId: to } });
    // Their entries in the search are made anew, as those of their owner.
    await model.updateMany(old, { $set: { ownerId: to, unindexed: 0 } });
  },
});
