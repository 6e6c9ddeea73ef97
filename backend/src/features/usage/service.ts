import type { DemoAllowance, User } from '../../contract/auth.ts';
import { GUEST_MESSAGE_LIMIT, GUEST_TOKEN_LIMIT } from '../../contract/limits.ts';
import { AppError } from '../../errors.ts';
import type { UsageStore } from './model.ts';

export type Person = Pick<User, 'id' | 'subscriptionStatus' | 'subscriptionPlan'>;

/** What a reply used, in tokens. */
interface Used {
  promptTokens: number;
  completionTokens: number;
}

/** What replies cost and who may still ask for one. Reserve before the provider is called, settle after. */
export type UsageService = ReturnType<typeof createUsageService>;

// A guest's account lasts as long as the guest. Subscribers' monthly limits come with billing.
const accountId = (ownerId: string) => `${ownerId}:demo`;

// A hold lasts until the real figures are known, so it need not be exact, and counting would cost a web process more.
const CHARACTERS_PER_TOKEN = 4;

export function createUsageService({ store }: { store: UsageStore }) {
  return {
    /**
     * Lets a reply be made: checks that the person may chat (decision 'Who may chat') and holds a part of a guest's
     * allowance for it, roughly what the answered `text` costs. Repeated for the same reply, it holds once.
     * @throws AppError subscription_required; quota_exceeded with `used` and `limit` when the guest's messages or
     *   tokens are used up.
     */
    reserve: async (
      ownerId: string,
      request: { replyId: string; attempt: number; promptTokens: number; replyTokens: number },
    ): Promise<{ replyTokens: number }> => {
      const entry = {
        accountId: accountId(ownerId),
        ownerId,
        replyId: `${request.replyId}:${request.attempt}`,
        tokens: request.promptTokens,
      };
      const limits = { messages: GUEST_MESSAGE_LIMIT, tokens: GUEST_TOKEN_LIMIT };
      if (await store.hold(entry, limits)) return { replyTokens: request.replyTokens };
      const account = await store.find(entry.accountId);
      throw new AppError('quota_exceeded', 'Your demo is used up.', {
        details: { used: account, limit: limits },
      });
    },

    release: (
      ownerId: string,
      { replyId, attempt }: { replyId: string; attempt: number },
    ): Promise<void> =>
      store.release({ accountId: accountId(ownerId), replyId: `${replyId}:${attempt}` }),

    settle: (
      ownerId: string,
      { replyId, attempt }: { replyId: string; attempt: number },
      usage: Used,
    ): Promise<void> =>
      store.settle(
        { accountId: accountId(ownerId), replyId: `${replyId}:${attempt}` },
        usage.promptTokens + usage.completionTokens,
      ),

    /** What is left of a guest's demo. */
    allowanceOf: async (ownerId: string): Promise<DemoAllowance> => {
      const account = await store.find(accountId(ownerId));
      return {
        messagesLeft: Math.max(0, GUEST_MESSAGE_LIMIT - (account?.messages ?? 0)),
        messageLimit: GUEST_MESSAGE_LIMIT,
        tokensLeft: Math.max(0, GUEST_TOKEN_LIMIT - (account?.spent ?? 0)),
        tokenLimit: GUEST_TOKEN_LIMIT,
      };
    },

    removeAllOf: store.removeAllOf,
  };
}
