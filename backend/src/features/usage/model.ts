import { type Connection, Schema } from 'mongoose';
import { isDuplicateKey } from '../../db/mongo.ts';

// One document per person and period. `holds` are the replies under way: what they may cost is in `spent` already.
// A hold is added and taken away in the same update that changes the sums, so each counts exactly once.
const schema = new Schema(
  {
    _id: { type: String, required: true },
    ownerId: { type: Schema.Types.ObjectId, required: true, index: true },
    messages: { type: Number, required: true },
    spent: { type: Number, required: true },
    holds: { type: [{ _id: false, replyId: String, tokens: Number }], required: true },
  },
  { versionKey: false },
);

export interface Account {
  messages: number;
  /** Tokens, those held for replies under way included. */
  spent: number;
}

interface AccountDocument extends Account {
  holds: { replyId: string; tokens: number }[];
}

export interface Hold {
  accountId: string;
  ownerId: string;
  replyId: string;
  tokens: number;
}

export interface Limits {
  messages: number;
  tokens: number;
}

const isUsedUp = (account: Account, limits: Limits) =>
  account.messages >= limits.messages || account.spent >= limits.tokens;

export const defineUsageModel = (connection: Connection) =>
  connection.model('Usage', schema, 'usage');

export type UsageStore = ReturnType<typeof createUsageStore>;

export function createUsageStore(model: ReturnType<typeof defineUsageModel>) {
  const find = (accountId: string) => model.findById(accountId).lean<AccountDocument>();

  const open = ({ accountId, ownerId }: Hold) =>
    model
      .create({ _id: accountId, ownerId, messages: 0, spent: 0, holds: [] })
      .catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });

  const tryHold = async ({ accountId, replyId, tokens }: Hold, limits: Limits) => {
    const { modifiedCount } = await model.updateOne(
      {
        _id: accountId,
        messages: { $lt: limits.messages },
        spent: { $lt: limits.tokens },
        'holds.replyId': { $ne: replyId },
      },
      { $push: { holds: { replyId, tokens } }, $inc: { spent: tokens, messages: 1 } },
    );
    return modifiedCount === 1;
  };

  /** Takes the hold away and puts what it really was in its place; nothing when it is gone already. */
  const resolve = async (
    { accountId, replyId }: Pick<Hold, 'accountId' | 'replyId'>,
    { tokens, messages }: { tokens: number; messages: number },
  ) => {
    const held = (await find(accountId))?.holds.find((entry) => entry.replyId === replyId);
    if (!held) return;
    await model.updateOne(
      { _id: accountId, holds: { $elemMatch: { replyId, tokens: held.tokens } } },
      { $pull: { holds: { replyId } }, $inc: { spent: tokens - held.tokens, messages } },
    );
  };

  return {
    find: async (accountId: string): Promise<Account | null> => find(accountId),

    /** Holds tokens for a reply; holding twice for the same reply is holding once. False: nothing is left. */
    hold: async (entry: Hold, limits: Limits): Promise<boolean> => {
      // Tried again while the account changes under us: somebody opened it, or held or settled for the same reply.
      for (;;) {
        if (await tryHold(entry, limits)) return true;
        const account = await find(entry.accountId);
        if (!account) await open(entry);
        else if (account.holds.some(({ replyId }) => replyId === entry.replyId)) return true;
        else if (isUsedUp(account, limits)) return false;
      }
    },

    /** Replaces the hold by what was used, in tokens. */
    settle: (entry: Pick<Hold, 'accountId' | 'replyId'>, tokens: number): Promise<void> =>
      resolve(entry, { tokens, messages: 0 }),

    /** Takes the hold back as if the message had never been sent. */
    release: (entry: Pick<Hold, 'accountId' | 'replyId'>): Promise<void> =>
      resolve(entry, { tokens: 0, messages: -1 }),

    removeAllOf: async (ownerId: string): Promise<void> => {
      await model.deleteMany({ ownerId });
    },
  };
}
