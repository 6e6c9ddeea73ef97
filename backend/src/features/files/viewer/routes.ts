import { type Request, type Response, Router } from 'express';
import * as z from 'zod';
import { PageMarksQuery, PagePictureQuery } from '../../../contract/files.ts';
import { byUser, handler, IdParams, type RateLimit } from '../../../http/index.ts';
import type { FilesFeature } from '../feature.ts';
import { marksOf, readPage } from './pages.ts';
import { type Picture, pagePicture, thumbnail } from './pictures.ts';

const PageParams = IdParams.extend({ n: z.coerce.number().int().min(1).max(1_000_000) });

/** The routes of the file viewer. */
export function viewerRoutes(files: FilesFeature, rateLimit: RateLimit): Router {
  const router = Router();
  const pages = rateLimit({ name: 'file-pages', points: 300, seconds: 60, key: byUser });
  const images = rateLimit({ name: 'file-pictures', points: 300, seconds: 60, key: byUser });

  router.get(
    '/files/:id/pages/:n',
    pages,
    handler({ params: PageParams }, ({ actor, params: { id: fileId, n } }) =>
      readPage(files, actor, { fileId, n }),
    ),
  );

  router.get(
    '/files/:id/pages/:n/marks',
    pages,
    handler(
      { params: PageParams, query: PageMarksQuery },
      ({ actor, params: { id: fileId, n }, query }) => marksOf(files, actor, { fileId, n }, query),
    ),
  );

  router.get(
    '/files/:id/pages/:n/picture',
    images,
    handler(
      { params: PageParams, query: PagePictureQuery },
      async ({ actor, params: { id: fileId, n }, query, req, res }) =>
        send(await pagePicture(files, actor, { fileId, n }, query.width), req, res),
    ),
  );

  router.get(
    '/files/:id/thumbnail',
    images,
    handler({ params: IdParams }, async ({ actor, params, req, res }) =>
      send(await thumbnail(files, actor, params.id), req, res),
    ),
  );

  return router;
}

/** Pictures never change, and the browser may cache them; shared caches may not, because each belongs to a user. */
async function send({ etag, bytes }: Picture, req: Request, res: Response): Promise<void> {
  const isKnown = req.get('if-none-match')?.includes(etag) ?? false;
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  const picture = isKnown ? undefined : await bytes(gone.signal).catch(ignoreAfter(gone.signal));
  if (gone.signal.aborted) return;
  res.set({
    ETag: etag,
    'Cache-Control': 'private, max-age=3600, immutable',
    'X-Content-Type-Options': 'nosniff',
  });
  if (picture) res.type('image/webp').send(picture);
  else res.status(304).end();
}

/** Ignores failures once the client has gone. */
const ignoreAfter = (signal: AbortSignal) => (error: unknown) => {
  if (!signal.aborted) throw error;
  return undefined;
};
