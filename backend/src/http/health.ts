import { setTimeout as sleep } from 'node:timers/promises';
import { type RequestHandler, Router } from 'express';
import { unavailable } from '../errors.ts';

/** How long an answer of `isReady` is cached; short when it is not ready, because a starting process is polled often. */
const CACHE_MS = { ready: 1_000, notReady: 100 };
/** A longer check counts as not ready. */
const READY_WITHIN_MS = 2_000;

/**
 * For supervisors and load balancers: `live` answers while the process runs; `ready` answers 200 or 503 by `isReady`.
 * @param isReady whether this process can serve requests now
 * @param limit bounds the calls of `ready` per IP address
 */
export function healthRoutes(
  isReady: () => Promise<boolean>,
  limit: RequestHandler,
  cacheMs = CACHE_MS,
): Router {
  const ready = cacheReadiness(isReady, cacheMs);
  const router = Router();
  router.get('/health/live', (_req, res) => {
    res.json({ status: 'live' });
  });
  router.get('/health/ready', limit, async (_req, res) => {
    if (!(await ready())) throw unavailable();
    res.json({ status: 'ready' });
  });
  return router;
}

/** Runs `isReady` once at a time for all callers. */
function cacheReadiness(
  isReady: () => Promise<boolean>,
  cacheMs: typeof CACHE_MS,
): () => Promise<boolean> {
  let answer: Promise<boolean> | undefined;
  const ask = async () => {
    const tooLate = sleep(READY_WITHIN_MS, false, { ref: false });
    const ready = await Promise.race([isReady().catch(() => false), tooLate]);
    const forget = () => {
      answer = undefined;
    };
    setTimeout(forget, ready ? cacheMs.ready : cacheMs.notReady).unref();
    return ready;
  };
  return () => {
    answer ??= ask();
    return answer;
  };
}
