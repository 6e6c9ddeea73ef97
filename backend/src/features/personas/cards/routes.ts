import { Router } from 'express';
import { MAX_CARD_BYTES } from '../../../contract/limits.ts';
import { CardExportQuery, ImportCardQuery } from '../../../contract/personas.ts';
import {
  byUser,
  createConcurrencyLimit,
  handler,
  IdParams,
  type RateLimit,
  readBody,
} from '../../../http/index.ts';
import { contentDisposition } from '../../../text/file-name.ts';
import type { PersonasFeature } from '../feature.ts';
import { cardPicture, exportCard, importCard, previewCard } from './card-files.ts';

/** Imports at the same time per process of all guests, and of all others: they bound its memory. */
const MAX_IMPORTS = 8;

/** Mounted before the JSON parser: the body is the file itself. */
export function cardImportRoutes(personas: PersonasFeature, rateLimit: RateLimit): Router {
  const router = Router();
  const perUser = createConcurrencyLimit(1);
  const perGroup = createConcurrencyLimit(MAX_IMPORTS);
  router.post(
    '/personas/import',
    rateLimit({ name: 'card-imports', points: 60, seconds: 3_600, key: byUser }),
    handler({ query: ImportCardQuery }, ({ actor, query, ...call }) => {
      const run = async () => {
        const bytes = await readBody(call, { limit: MAX_CARD_BYTES });
        if (!query.accept) return previewCard(personas, actor, bytes);
        call.res.status(201);
        const card = { bytes, acceptsInstructions: query.instructions };
        return importCard(personas, actor, card);
      };
      const group = actor.isGuest ? 'guests' : 'users';
      return perUser<unknown>(actor.userId, () => perGroup<unknown>(group, run));
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
