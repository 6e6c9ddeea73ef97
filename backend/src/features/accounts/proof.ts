import { AppError } from '../../errors.ts';
import { verifyPassword } from './passwords.ts';
import type { Sessions } from './sessions.ts';
import type { UserStore } from './user-model.ts';
import type { UserRecord } from './user-record.ts';

/** How long a sign-in proves an account without a password. */
const FRESH_MS = 5 * 60_000;

/** A call of a signed-in user about their own account. */
export interface OwnCall {
  user: UserRecord;
  sessionId: string;
}

interface ProofDeps {
  users: UserStore;
  sessions: Sessions;
  now: () => Date;
}

/** Proof that the user of an account makes a call, and not only a holder of its session. */
export function createProof({ users, sessions, now }: ProofDeps) {
  // A provider may sign a user in by an older session of its own, so the age of our session is not enough.
  const requireFreshSession = async ({ user, sessionId }: OwnCall): Promise<void> => {
    const session = await sessions.findOf({ userId: user.id, sessionId });
    const provenAt = session?.authenticatedAt?.getTime() ?? Number.NEGATIVE_INFINITY;
    if (now().getTime() - provenAt < FRESH_MS) return;
    throw new AppError(
      'reauthentication_required',
      'Sign in again to do this, or have a link mailed to set a password.',
    );
  };

  /** @throws AppError invalid_field of `field` when this is not the password */
  const requirePassword = async (
    { id }: Pick<UserRecord, 'id'>,
    { password, field }: { password: string; field: string },
  ): Promise<void> => {
    const found = await users.findCredentials({ _id: id });
    if (await verifyPassword(found?.passwordHash, password)) return;
    throw new AppError('invalid_field', 'This is not your current password.', {
      details: { field },
    });
  };

  return {
    requirePassword,

    /**
     * Security changes require the current password, or a fresh sign-in where the account has none. Guests have neither.
     * @throws AppError invalid_field, reauthentication_required
     */
    requireProof: async (call: OwnCall, password: string | undefined): Promise<void> => {
      const { user } = call;
      if (user.subscriptionStatus === 'guest') return;
      if (user.hasPassword)
        await requirePassword(user, { password: password ?? '', field: 'currentPassword' });
      else await requireFreshSession(call);
    },
  };
}
