import { Router } from 'express';
import { CHECK_BY_DEPTH, CHECK_LOST_MS, type ClaimsCheck } from '../../contract/claims.ts';
import type { ReplyResult } from '../../contract/replies.ts';
import { AppError } from '../../errors.ts';
import { byUser, handler, IdParams, type RateLimit } from '../../http/index.ts';
import type { RequestStep } from '../chat/index.ts';
import { STEP_NAME } from './step.ts';

interface RoutesDeps {
  requestStep: RequestStep;
  rateLimit: RateLimit;
  now: () => Date;
}

/** Checks of replies that users ask for. */
export function claimRoutes({ requestStep, rateLimit, now }: RoutesDeps): Router {
  const router = Router();
  /** A check that found something is not made again; one that was lost, or had no source, is. */
  const isWanted = (claims: ClaimsCheck | undefined): boolean => {
    if (!claims || claims.state === 'not_checked') return true;
    return claims.state === 'checking' && now().getTime() - Date.parse(claims.at) > CHECK_LOST_MS;
  };
  router.post(
    '/replies/:id/check',
    rateLimit({ name: 'checks', points: 20, seconds: 60, key: byUser }),
    handler({ params: IdParams }, async ({ actor, params, res }): Promise<ReplyResult> => {
      const claims = { state: 'checking' as const, at: now().toISOString(), claims: [], tokens: 0 };
      res.status(202);
      return {
        reply: await requestStep(actor, params.id, {
          step: STEP_NAME,
          metadata: { claims },
          isWanted: ({ metadata, settings }) => {
            if (CHECK_BY_DEPTH[settings.depth] === 'off') throw notOffered();
            return isWanted(metadata?.claims);
          },
        }),
      };
    }),
  );
  return router;
}

const notOffered = () =>
  new AppError(
    'reply_not_retryable',
    'Replies of the depth Fast are not checked. Regenerate it with Balanced or Deep.',
  );
