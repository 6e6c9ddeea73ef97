import type { Request, RequestHandler } from 'express';
import { ProofBody } from '../../contract/auth.ts';
import { AppError, unauthenticated } from '../../errors.ts';
import { parseInput, type RateLimit, requireActor } from '../../http/index.ts';
import type { SecurityEvent, SecurityLog } from '../../security-log.ts';
import { limitOwnPassword } from './limits.ts';
import type { AccountsService } from './service.ts';

interface Recording {
  securityLog: SecurityLog;
}

/** Runs a call that needs proof and records how it ended. */
export const recorded = async <T>(
  { securityLog }: Recording,
  { event, userId, req }: { event: SecurityEvent; userId: string; req: Request },
  run: () => Promise<T>,
): Promise<T> => {
  try {
    const result = await run();
    securityLog.record({ event, userId, ip: req.ip });
    return result;
  } catch (error) {
    if (error instanceof AppError)
      securityLog.record({ event: 'proof_refused', userId, ip: req.ip, reason: error.code });
    throw error;
  }
};

interface ProofDeps extends Recording {
  accounts: Pick<AccountsService, 'find' | 'requireProof'>;
  rateLimit: RateLimit;
}

/** Handlers that let a call pass with the proof in its body (`ProofBody`): for what a session alone must not give away. */
export function createProofHandlers({ accounts, rateLimit, securityLog }: ProofDeps) {
  const limit = limitOwnPassword(rateLimit);
  return (event: SecurityEvent): RequestHandler[] => [
    limit,
    async (req, _res, next) => {
      const { userId, sessionId } = await requireActor(req);
      const { currentPassword } = parseInput(ProofBody, req.body);
      const user = await accounts.find(userId);
      if (!user) throw unauthenticated();
      await recorded({ securityLog }, { event, userId, req }, () =>
        accounts.requireProof({ user, sessionId }, currentPassword),
      );
      next();
    },
  ];
}
