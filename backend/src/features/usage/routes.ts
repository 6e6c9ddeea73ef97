import { Router } from 'express';
import { requireRegistered } from '../../access/index.ts';
import { type ReplyUsage, type Usage, UsageCapBody } from '../../contract/usage.ts';
import { byUser, handler, IdParams, type RateLimit, sendText } from '../../http/index.ts';
import { ownPayer } from '../payer.ts';
import { toCsv } from './csv.ts';
import type { UsageFeature } from './feature.ts';
import { readLines, readReplyUsage } from './lines.ts';
import { readUsage, setCap } from './overview.ts';
import { dayOf } from './records.ts';

/** A download ends when its reader accepts no data for this long. */
const STALLED_MS = 60_000;

/** The user's usage, by day, kind and reply. */
export function usageRoutes(usage: UsageFeature, rateLimit: RateLimit): Router {
  const router = Router();
  const changes = { name: 'usage-cap', points: 30, seconds: 60, key: byUser };
  const downloads = { name: 'usage-csv', points: 10, seconds: 60, key: byUser };

  router.get(
    '/usage',
    handler({}, ({ actor }): Promise<Usage> => readUsage(usage, actor.userId)),
  );

  router.put(
    '/usage/cap',
    rateLimit(changes),
    handler({ body: UsageCapBody }, async ({ actor, body }): Promise<Usage> => {
      requireRegistered(actor);
      return setCap(usage, actor.userId, body.tokensPerDay);
    }),
  );

  router.get(
    '/usage/ledger.csv',
    rateLimit(downloads),
    handler({}, async ({ actor, res }) => {
      const rows = toCsv(readLines(usage, actor.userId));
      // The first rows are read before the answer begins, so that an unreachable database answers 503.
      const first = await rows.next();
      res.attachment(`stolas-usage-${dayOf(usage.now())}.csv`).set('Cache-Control', 'no-store');
      res.setTimeout(STALLED_MS);
      await sendText(res, joined(first, rows));
    }),
  );

  router.get(
    '/replies/:id/usage',
    handler({ params: IdParams }, async ({ actor, params }): Promise<ReplyUsage> => {
      const { id } = params;
      const { payer } = (await usage.others.chat.openReply(actor, { id, action: 'read' })).reply;
      // What the actor has asked for.
      const { ownerId } = payer.userId === actor.userId ? payer : ownPayer(actor.userId);
      return readReplyUsage(usage, ownerId, id);
    }),
  );

  return router;
}

async function* joined(first: IteratorResult<string>, rest: AsyncIterable<string>) {
  if (!first.done) yield first.value;
  yield* rest;
}
