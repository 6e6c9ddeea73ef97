import { Router } from 'express';
import {
  EditMemoryBody,
  ImportMemoriesBody,
  ListMemoriesQuery,
  UndoMemoriesBody,
} from '../../contract/memory.ts';
import { byUser, handler, IdParams, type RateLimit } from '../../http/index.ts';
import type { MemoryService } from './service.ts';
import type { createUndo } from './undo.ts';
import type { WholeMemory } from './whole.ts';

interface RoutesDeps {
  memory: MemoryService;
  whole: WholeMemory;
  undo: ReturnType<typeof createUndo>;
  rateLimit: RateLimit;
  now: () => Date;
}

export function memoryRoutes({ memory, whole, undo, rateLimit, now }: RoutesDeps): Router {
  const router = Router();
  const changes = rateLimit({ name: 'memories', points: 120, seconds: 60, key: byUser });
  const all = rateLimit({ name: 'all-memories', points: 10, seconds: 60, key: byUser });
  const params = IdParams;

  router.get(
    '/memories',
    handler({ query: ListMemoriesQuery }, ({ actor, query }) => memory.list(actor, query)),
  );
  router.get(
    '/memories/export',
    all,
    handler({}, async ({ actor, res }) => {
      res.attachment(`stolas-memories-${now().toISOString().slice(0, 10)}.json`);
      res.set('Cache-Control', 'no-store');
      return whole.exported(actor);
    }),
  );
  router.post(
    '/memories/import',
    all,
    handler({ body: ImportMemoriesBody }, async ({ actor, body }) => ({
      memories: await whole.imported(actor, body),
    })),
  );
  router.post(
    '/memories/undo',
    changes,
    handler({ body: UndoMemoriesBody }, ({ actor, body }) => undo(actor, body.replyId)),
  );
  router.delete(
    '/memories',
    all,
    handler({}, ({ actor }) => whole.forgetAll(actor)),
  );
  router.get(
    '/memories/:id/history',
    handler({ params }, ({ actor, params: { id } }) => memory.history(actor, id)),
  );
  router.patch(
    '/memories/:id',
    changes,
    handler({ params, body: EditMemoryBody }, ({ actor, params: { id }, body }) =>
      memory.edit(actor, id, body),
    ),
  );
  router.delete(
    '/memories/:id',
    changes,
    handler({ params }, ({ actor, params: { id } }) => memory.remove(actor, id)),
  );
  router.post(
    '/memories/:id/approve',
    changes,
    handler({ params }, ({ actor, params: { id } }) => memory.approve(actor, id)),
  );
  router.post(
    '/memories/:id/reject',
    changes,
    handler({ params }, ({ actor, params: { id } }) => memory.reject(actor, id)),
  );
  return router;
}
