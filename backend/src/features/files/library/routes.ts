import { Router } from 'express';
import * as z from 'zod';
import { GrantsBody } from '../../../contract/access.ts';
import { AttachBody, ListFilesQuery } from '../../../contract/files.ts';
import { byUser, handler, IdParams, type RateLimit } from '../../../http/index.ts';
import { presentGrants } from '../../record-grants.ts';
import type { FilesFeature } from '../feature.ts';
import { readAgain } from '../reading/read-again.ts';
import { attachUpload } from './attach.ts';
import { deleteFile } from './deletion.ts';
import { downloadUrl, listFiles } from './list.ts';
import { openToChange } from './open.ts';
import { presentFile } from './present.ts';
import { replaceGrants } from './share.ts';

const DownloadQuery = z.object({ download: z.enum(['true', 'false']).optional() });

export function fileRoutes(files: FilesFeature, rateLimit: RateLimit): Router {
  const router = Router();
  const changes = rateLimit({ name: 'files', points: 120, seconds: 60, key: byUser });
  const reads = rateLimit({ name: 'file-reads', points: 600, seconds: 60, key: byUser });

  router.post(
    '/objects/attach',
    changes,
    handler({ body: AttachBody }, ({ actor, body }) => attachUpload(files, actor, body)),
  );

  router.get(
    '/files',
    reads,
    handler({ query: ListFilesQuery }, ({ actor, query }) => listFiles(files, actor, query)),
  );

  router.get(
    '/files/:id',
    reads,
    handler({ params: IdParams, query: DownloadQuery }, async ({ actor, params, query, res }) => {
      const download = query.download === 'true';
      const url = await downloadUrl(files, actor, params.id, { download });
      res.set({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
      res.redirect(302, url);
    }),
  );

  router.post(
    '/files/:id/read',
    rateLimit({ name: 'file-readings', points: 30, seconds: 60, key: byUser }),
    handler({ params: IdParams, status: 202 }, async ({ actor, params }) =>
      presentFile(await readAgain(files, actor, params.id)),
    ),
  );

  router.delete(
    '/files/:id',
    changes,
    handler({ params: IdParams }, ({ actor, params }) => deleteFile(files, actor, params.id)),
  );

  router.get(
    '/files/:id/grants',
    reads,
    handler({ params: IdParams }, async ({ actor, params: { id } }) =>
      presentGrants(files, await openToChange(files, actor, { id, action: 'manage' })),
    ),
  );

  router.put(
    '/files/:id/grants',
    changes,
    handler({ params: IdParams, body: GrantsBody }, ({ actor, params, body }) =>
      replaceGrants(files, actor, { id: params.id, ...body }),
    ),
  );

  return router;
}
