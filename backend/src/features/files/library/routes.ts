import { Router } from 'express';
import * as z from 'zod';
import { AttachBody, ListFilesQuery } from '../../../contract/files.ts';
import { byUser, handler, IdParams, type RateLimit } from '../../../http/index.ts';
import type { FilesService } from '../feature.ts';

interface RoutesDeps {
  files: Pick<FilesService, 'attach' | 'list' | 'remove' | 'downloadUrl'>;
  rateLimit: RateLimit;
}

const DownloadQuery = z.object({ download: z.enum(['true', 'false']).optional() });

export function fileRoutes({ files, rateLimit }: RoutesDeps): Router {
  const router = Router();
  const changes = rateLimit({ name: 'files', points: 120, seconds: 60, key: byUser });
  const reads = rateLimit({ name: 'file-reads', points: 600, seconds: 60, key: byUser });

  router.post(
    '/objects/attach',
    changes,
    handler({ body: AttachBody }, ({ actor, body }) => files.attach(actor, body)),
  );

  router.get(
    '/files',
    reads,
    handler({ query: ListFilesQuery }, ({ actor, query }) => files.list(actor, query)),
  );

  router.get(
    '/files/:id',
    reads,
    handler({ params: IdParams, query: DownloadQuery }, async ({ actor, params, query, res }) => {
      const download = query.download === 'true';
      const url = await files.downloadUrl(actor, params.id, { download });
      res
        .set({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
        .redirect(302, url);
    }),
  );

  router.delete(
    '/files/:id',
    changes,
    handler({ params: IdParams }, ({ actor, params }) => files.remove(actor, params.id)),
  );

  return router;
}
