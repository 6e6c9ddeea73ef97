import type { DemoAllowance, User } from '../../contract/auth.ts';
import { GUEST_MESSAGE_LIMIT, GUEST_TOKEN_LIMIT } from '../../contract/limits.ts';
import { isSubscribed, mayChat } from '../../contract/subscription.ts';
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

export function createUsageService({
  store,
  findUser,
}: {
  store: UsageStore;
  findUser: (id: string) => Promise<Person | null>;
}) {
  return {
    /**
     * Lets a reply be made: checks that the person may chat (decision 'Who may chat') and holds a part of a guest's
     * allowance for it, roughly what the answered `text` costs. Repeated for the same reply, it holds once.
     * @throws AppError subscription_required; quota_exceeded with `used` and `limit` when the guest's messages or
     *   tokens are used up.
     */
    reserve: async (
      ownerId: string,
      {
        replyId,
        attempt,
        promptTokens,
        replyTokens,
      }: { replyId: string; attempt: number; promptTokens: number; replyTokens: number },
    ): Promise<{ replyTokens: number }> => {
      const person = await findUser(ownerId);
      if (!person || !mayChat(person))
        throw new AppError('subscription_required', 'Choose a plan to chat.');
      if (isSubscribed(person)) return { replyTokens };
      const tokens = promptTokens;
      const entry = { accountId: accountId(person.id), ownerId: person.id, replyId: `${replyId}:${attempt}`, tokens };
      const limits = { messages: GUEST_MESSAGE_LIMIT, tokens: GUEST_TOKEN_LIMIT };
      if (await store.hold(entry, limits)) return { replyTokens };
      const account = await store.find(entry.accountId);
      throw new AppError(
        'quota_exceeded',
        'Your demo is used up. Choose a plan to go on; your conversations stay.',
        { details: { used: account, limit: limits } },
      );
    },

    /** Takes a reservation back when the message was not accepted after all. */
    release: (ownerId: string, { replyId, attempt }: { replyId: string; attempt: number }): Promise<void> =>
      store.release({ accountId: accountId(ownerId), replyId: `${replyId}:${attempt}` }),

    /** Charges what a reply really used, once: without a reservation nothing happens. */
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
