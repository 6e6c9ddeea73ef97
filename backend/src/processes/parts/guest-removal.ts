import type { Deps } from './compose.ts';

const BATCH = 50;

/**
 * Removes guests whom nobody has seen for 24 hours, with everything of theirs (decision 'Who may chat'). The account
 * goes last: a removal that is cut off is found and finished by a later one.
 */
export function createGuestRemoval(
  deps: Pick<Deps, 'accounts' | 'conversations' | 'turns' | 'usage'>,
) {
  const { accounts, conversations, turns, usage } = deps;
  return async (): Promise<void> => {
    for (const id of await accounts.claimExpiredGuests({ limit: BATCH })) {
      await Promise.all([
        turns.removeAllOf(id),
        conversations.removeAllOf(id),
        usage.removeAllOf(id),
      ]);
      await accounts.removeUser(id);
    }
  };
}
