import { Router } from 'express';
import {
  EditMemoryBody,
  ImportMemoriesBody,
  ListMemoriesQuery,
  UndoMemoriesBody,
} from '../../contract/memory.ts';
import { byUser, handler, IdParams, type RateLimit } from '../../http/index.ts';
import {
  approveMemory,
  deleteMemory,
  editMemory,
  listMemories,
  memoryHistory,
  rejectMemory,
} from './edit.ts';
import type { MemoryFeature } from './feature.ts';
import { undoMemories } from './undo.ts';
import { exportMemories, forgetAll, importMemories } from './whole.ts';

export function memoryRoutes(memory: MemoryFeature, rateLimit: RateLimit): Router {
  const router = Router();
  const changes = rateLimit({ name: 'memories', points: 120, seconds: 60, key: byUser });
  const params = IdParams;

  router.get(
    '/memories',
    handler({ query: ListMemoriesQuery }, ({ actor, query }) => listMemories(memory, actor, query)),
  );
  router.post(
    '/memories/undo',
    changes,
    handler({ body: UndoMemoriesBody }, ({ actor, body }) =>
      undoMemories(memory, actor, body.replyId),
    ),
  );
  router.get(
    '/memories/:id/history',
    handler({ params }, ({ actor, params: { id } }) => memoryHistory(memory, actor, id)),
  );
  router.patch(
    '/memories/:id',
    changes,
    handler({ params, body: EditMemoryBody }, ({ actor, params: { id }, body }) =>
      editMemory(memory, actor, { id, body }),
    ),
  );
  router.delete(
    '/memories/:id',
    changes,
    handler({ params }, ({ actor, params: { id } }) => deleteMemory(memory, actor, id)),
  );
  router.post(
    '/memories/:id/approve',
    changes,
    handler({ params }, ({ actor, params: { id } }) => approveMemory(memory, actor, id)),
  );
  router.post(
    '/memories/:id/reject',
    changes,
    handler({ params }, ({ actor, params: { id } }) => rejectMemory(memory, actor, id)),
  );
  addRoutesOfAll(router, memory, rateLimit);
  return router;
}

/** Routes that read, add or remove all memories of a user. */
function addRoutesOfAll(router: Router, memory: MemoryFeature, rateLimit: RateLimit): void {
  const all = rateLimit({ name: 'all-memories', points: 10, seconds: 60, key: byUser });

  router.get(
    '/memories/export',
    all,
    handler({}, ({ actor, res }) => {
      res.attachment(`stolas-memories-${memory.now().toISOString().slice(0, 10)}.json`);
      return exportMemories(memory, actor);
    }),
  );
  router.post(
    '/memories/import',
    all,
    handler({ body: ImportMemoriesBody }, async ({ actor, body }) => ({
      memories: await importMemories(memory, actor, body),
    })),
  );
  router.delete(
    '/memories',
    all,
    handler({}, ({ actor }) => forgetAll(memory, actor)),
  );
}
