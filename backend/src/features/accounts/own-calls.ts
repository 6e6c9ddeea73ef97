import type { Request, RequestHandler } from 'express';
import { ProofBody } from '../../contract/auth.ts';
import { AppError, unauthenticated } from '../../errors.ts';
import { parseInput, type RateLimit, requireActor } from '../../http/index.ts';
import type { SecurityEvent } from '../../security-log.ts';
import type { AccountsFeature } from './feature.ts';
import { limitOwnPassword } from './limits.ts';
import { requireProof } from './proof.ts';
import type { UserRecord } from './user-record.ts';

/** The account of an actor. @throws AppError unauthenticated when it is gone */
export async function requireUser(
  { users }: Pick<AccountsFeature, 'users'>,
  { userId }: { userId: string },
): Promise<UserRecord> {
  const user = await users.find(userId);
  if (!user) throw unauthenticated();
  return user;
}

/** Runs a call that needs proof and records its outcome. */
export async function recordCall<T>(
  { securityLog }: Pick<AccountsFeature, 'securityLog'>,
  { event, userId, req }: { event: SecurityEvent; userId: string; req: Request },
  run: () => Promise<T>,
): Promise<T> {
  try {
    const result = await run();
    securityLog.record({ event, userId, ip: req.ip });
    return result;
  } catch (error) {
    if (error instanceof AppError)
      securityLog.record({ event: 'proof_refused', userId, ip: req.ip, reason: error.code });
    throw error;
  }
}

/** Handlers for data that a session alone must not open: they require the proof in the body (`ProofBody`). */
export function proofHandlers(
  accounts: AccountsFeature,
  rateLimit: RateLimit,
): (event: SecurityEvent) => RequestHandler[] {
  const limit = limitOwnPassword(rateLimit);
  return (event) => [
    limit,
    async (req, _res, next) => {
      const { userId, sessionId } = await requireActor(req);
      const { currentPassword } = parseInput(ProofBody, req.body);
      const user = await requireUser(accounts, { userId });
      await recordCall(accounts, { event, userId, req }, () =>
        requireProof(accounts, { user, sessionId }, currentPassword),
      );
      next();
    },
  ];
}
