import { Router } from 'express';
import type { UserFile } from '../../../contract/files.ts';
import { byUser, handler, IdParams, type RateLimit } from '../../../http/index.ts';
import type { FileRecord } from '../library/file-record.ts';
import type { ReadingService } from './service.ts';

interface ReadingRoutesDeps {
  readAgain: ReadingService['readAgain'];
  present: (file: FileRecord) => UserFile;
  rateLimit: RateLimit;
}

export function readingRoutes({ readAgain, present, rateLimit }: ReadingRoutesDeps): Router {
  const router = Router();
  router.post(
    '/files/:id/read',
    rateLimit({ name: 'file-readings', points: 30, seconds: 60, key: byUser }),
    handler({ params: IdParams }, async ({ actor, params, res }) => {
      res.status(202);
      return present(await readAgain(actor, params.id));
    }),
  );
  return router;
}
