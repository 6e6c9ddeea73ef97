import express, { Router } from 'express';
import { MAX_CARD_BYTES } from '../../../contract/limits.ts';
import { CardExportQuery, ImportCardQuery } from '../../../contract/personas.ts';
import { byUser, handler, IdParams, type RateLimit } from '../../../http/index.ts';
import { contentDisposition } from '../../../text/file-name.ts';
import type { PersonasFeature } from '../feature.ts';
import { cardPicture, exportCard, importCard, previewCard } from './card-files.ts';

/** Mounted before the JSON parser: the body is the file itself. */
export function cardImportRoutes(personas: PersonasFeature, rateLimit: RateLimit): Router {
  const router = Router();
  router.post(
    '/personas/import',
    rateLimit({ name: 'card-imports', points: 60, seconds: 3_600, key: byUser }),
    express.raw({ type: () => true, limit: MAX_CARD_BYTES }),
    handler({ query: ImportCardQuery }, async ({ actor, query, req, res }) => {
      const bytes: unknown = req.body;
      const file = Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0);
      if (!query.accept) return previewCard(personas, actor, file);
      res.status(201);
      const card = { bytes: file, acceptsInstructions: query.instructions };
      return importCard(personas, actor, card);
    }),
  );
  return router;
}

export function cardExportRoutes(personas: PersonasFeature): Router {
  const router = Router();
  router.get(
    '/personas/:id/picture',
    handler({ params: IdParams }, async ({ actor, params, res }) => {
      const picture = await cardPicture(personas, actor, params.id);
      res.set({
        'Cache-Control': 'private, max-age=3600, immutable',
        'X-Content-Type-Options': 'nosniff',
      });
      res.type('image/png').send(picture);
    }),
  );
  router.get(
    '/personas/:id/export',
    handler({ params: IdParams, query: CardExportQuery }, async ({ actor, params, query, res }) => {
      const card = { id: params.id, ...query };
      const { name, type, content } = await exportCard(personas, actor, card);
      res.type(type).set('Content-Disposition', contentDisposition('attachment', name));
      res.send(content);
    }),
  );
  return router;
}
