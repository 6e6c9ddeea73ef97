import { Router } from 'express';
import { CHECK_BY_DEPTH, CHECK_LOST_MS, type ClaimsCheck } from '../../contract/claims.ts';
import type { ReplyResult } from '../../contract/replies.ts';
import { AppError } from '../../errors.ts';
import { byUser, handler, IdParams, type RateLimit } from '../../http/index.ts';
import type { ClaimsFeature } from './feature.ts';
import { STEP_NAME } from './step.ts';

/** Checks of replies on a user's request. */
export function claimRoutes({ others, now }: ClaimsFeature, rateLimit: RateLimit): Router {
  const router = Router();
  router.post(
    '/replies/:id/check',
    rateLimit({ name: 'checks', points: 20, seconds: 60, key: byUser }),
    handler({ params: IdParams, status: 202 }, async ({ actor, params }): Promise<ReplyResult> => {
      const at = now();
      const claims = { state: 'checking' as const, at: at.toISOString(), claims: [], tokens: 0 };
      return {
        reply: await others.chat.requestStep(actor, params.id, {
          step: STEP_NAME,
          metadata: { claims },
          isWanted: ({ metadata, settings }) => {
            if (CHECK_BY_DEPTH[settings.depth] === 'off') throw notOffered();
            return isWanted(metadata?.claims, at);
          },
        }),
      };
    }),
  );
  return router;
}

/** A check with a result is not repeated; a lost or skipped one is. */
function isWanted(claims: ClaimsCheck | undefined, at: Date): boolean {
  if (!claims || claims.state === 'not_checked') return true;
  return claims.state === 'checking' && at.getTime() - Date.parse(claims.at) > CHECK_LOST_MS;
}

const notOffered = () =>
  new AppError(
    'reply_not_retryable',
    'Replies of the depth Fast are not checked. Regenerate it with Balanced or Deep.',
  );
