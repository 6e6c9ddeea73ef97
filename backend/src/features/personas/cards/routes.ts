import express, { Router } from 'express';
import { MAX_CARD_BYTES } from '../../../contract/persona-limits.ts';
import { CardExportQuery, ImportCardQuery } from '../../../contract/personas.ts';
import { byUser, handler, IdParams, type RateLimit } from '../../../http/index.ts';
import { contentDisposition } from '../../../text/file-name.ts';
import type { PersonaCards } from './create.ts';

interface RoutesDeps {
  cards: PersonaCards;
  rateLimit: RateLimit;
}

/** Mounted before the JSON parser: the body is the file as it is. */
export function cardImportRoutes({ cards, rateLimit }: RoutesDeps): Router {
  const router = Router();
  router.post(
    '/personas/import',
    rateLimit({ name: 'card-imports', points: 60, seconds: 3_600, key: byUser }),
    express.raw({ type: () => true, limit: MAX_CARD_BYTES }),
    handler({ query: ImportCardQuery }, async ({ actor, query, req, res }) => {
      const bytes: unknown = req.body;
      const file = Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0);
      if (!query.accept) return cards.preview(actor, file);
      res.status(201);
      return cards.import(actor, file, { acceptsInstructions: query.instructions });
    }),
  );
  return router;
}

export function cardExportRoutes({ cards }: Pick<RoutesDeps, 'cards'>): Router {
  const router = Router();
  router.get(
    '/personas/:id/picture',
    handler({ params: IdParams }, async ({ actor, params, res }) => {
      const picture = await cards.picture(actor, params.id);
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
      const { name, type, content } = await cards.export(actor, params.id, query);
      res.type(type).set('Content-Disposition', contentDisposition('attachment', name));
      res.send(content);
    }),
  );
  return router;
}
