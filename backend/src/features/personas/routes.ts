import { Router } from 'express';
import {
  DraftPersonaBody,
  FusePersonasBody,
  PersonaFields,
  PreviewPersonaBody,
  UpdatePersonaBody,
} from '../../contract/personas.ts';
import { byUser, handler, IdParams, type RateLimit } from '../../http/index.ts';
import type { PersonaFusion } from './fusion/create.ts';
import { presentPersona } from './present.ts';
import type { PersonaService } from './service.ts';

interface RoutesDeps {
  personas: PersonaService;
  fusion: PersonaFusion;
  rateLimit: RateLimit;
}

export function personaRoutes({ personas, fusion, rateLimit }: RoutesDeps): Router {
  const router = Router();
  const changes = rateLimit({ name: 'personas', points: 60, seconds: 60, key: byUser });
  const previews = rateLimit({ name: 'persona-previews', points: 120, seconds: 60, key: byUser });

  router.get(
    '/personas',
    handler({}, ({ actor }) => personas.list(actor)),
  );

  router.get(
    '/personas/models',
    handler({}, async () => personas.models()),
  );

  router.post(
    '/personas',
    changes,
    handler({ body: PersonaFields }, ({ actor, body, res }) => {
      res.status(201);
      return personas.create(actor, body);
    }),
  );

  router.post(
    '/personas/preview',
    previews,
    handler({ body: PreviewPersonaBody }, ({ body }) => personas.preview(body)),
  );

  router.post(
    '/personas/fusion/preview',
    previews,
    handler({ body: FusePersonasBody }, ({ actor, body }) => fusion.preview(actor, body)),
  );

  router.post(
    '/personas/fusion',
    changes,
    handler({ body: FusePersonasBody }, ({ actor, body, res }) => {
      res.status(201);
      return fusion.save(actor, body);
    }),
  );

  router.post(
    '/personas/drafts',
    previews,
    handler({ body: DraftPersonaBody }, ({ actor, body, res }) => {
      res.status(201);
      if (body.fusion) return fusion.draft(actor, body.fusion);
      return personas.draft(actor, PersonaFields.parse(body.persona));
    }),
  );

  router.get(
    '/personas/:id',
    handler({ params: IdParams }, async ({ actor, params }) =>
      presentPersona(await personas.get(actor, params.id)),
    ),
  );

  router.patch(
    '/personas/:id',
    changes,
    handler({ params: IdParams, body: UpdatePersonaBody }, ({ actor, params, body }) =>
      personas.update(actor, params.id, body),
    ),
  );

  router.delete(
    '/personas/:id',
    changes,
    handler({ params: IdParams }, ({ actor, params }) => personas.remove(actor, params.id)),
  );

  router.post(
    '/personas/:id/duplicate',
    changes,
    handler({ params: IdParams }, ({ actor, params, res }) => {
      res.status(201);
      return personas.duplicate(actor, params.id);
    }),
  );

  return router;
}
