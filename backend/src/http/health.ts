import { Router } from 'express';
import { unavailable } from '../errors.ts';

/**
 * For supervisors and load balancers: `live` says that the process answers; `ready` that a message sent now would get
 * its reply, else 503.
 */
export function healthRoutes({ isReady }: { isReady: () => Promise<boolean> }): Router {
  const router = Router();
  router.get('/health/live', (_req, res) => {
    res.json({ status: 'live' });
  });
  router.get('/health/ready', async (_req, res) => {
    if (!(await isReady().catch(() => false))) throw unavailable();
    res.json({ status: 'ready' });
  });
  return router;
}
