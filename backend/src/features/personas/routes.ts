import { type RequestHandler, Router } from 'express';
import { GrantsBody } from '../../contract/access.ts';
import {
  DraftPersonaBody,
  FusePersonasBody,
  ListPersonasQuery,
  PersonaFields,
  PersonaLanguageQuery,
  PreviewPersonaBody,
  UpdatePersonaBody,
} from '../../contract/personas.ts';
import { byUser, handler, IdParams, type RateLimit } from '../../http/index.ts';
import { presentGrants } from '../record-grants.ts';
import {
  createPersona,
  deletePersona,
  draftPersona,
  duplicatePersona,
  listPersonas,
  previewPersona,
  updatePersona,
} from './edit.ts';
import type { PersonasFeature } from './feature.ts';
import { draftFusion, previewFusion, saveFusion } from './fusion/fusions.ts';
import { getPersona, openPersona } from './open.ts';
import { presentTo } from './present.ts';
import { replaceGrants } from './share.ts';

export function personaRoutes(personas: PersonasFeature, rateLimit: RateLimit): Router {
  const router = Router();
  const changes = rateLimit({ name: 'personas', points: 60, seconds: 60, key: byUser });

  router.get(
    '/personas',
    // The database reads the personas with their texts.
    rateLimit({ name: 'persona-lists', points: 60, seconds: 60, key: byUser }),
    handler({ query: ListPersonasQuery }, ({ actor, query }) =>
      listPersonas(personas, actor, query.language),
    ),
  );

  router.get(
    '/personas/models',
    handler({}, async () => ({ models: [...personas.offeredModels] })),
  );

  router.post(
    '/personas',
    changes,
    handler({ body: PersonaFields, status: 201 }, ({ actor, body }) =>
      createPersona(personas, actor, { fields: body }),
    ),
  );

  addPreviews(router, personas, {
    changes,
    previews: rateLimit({ name: 'persona-previews', points: 120, seconds: 60, key: byUser }),
  });
  addRoutesOfOne(router, personas, changes);

  return router;
}

function addRoutesOfOne(router: Router, personas: PersonasFeature, changes: RequestHandler): void {
  router.get(
    '/personas/:id',
    handler({ params: IdParams }, async ({ actor, params }) =>
      presentTo(personas, actor, await getPersona(personas, actor, params.id)),
    ),
  );

  router.patch(
    '/personas/:id',
    changes,
    handler({ params: IdParams, body: UpdatePersonaBody }, ({ actor, params, body }) =>
      updatePersona(personas, actor, { id: params.id, body }),
    ),
  );

  router.delete(
    '/personas/:id',
    changes,
    handler({ params: IdParams }, ({ actor, params }) => deletePersona(personas, actor, params.id)),
  );

  router.post(
    '/personas/:id/duplicate',
    changes,
    handler({ params: IdParams, query: PersonaLanguageQuery, status: 201 }, (call) =>
      duplicatePersona(personas, call.actor, call.params.id, call.query.language),
    ),
  );

  router.get(
    '/personas/:id/grants',
    handler({ params: IdParams }, async ({ actor, params: { id } }) =>
      presentGrants(personas, await openPersona(personas, actor, { id, action: 'manage' })),
    ),
  );

  router.put(
    '/personas/:id/grants',
    changes,
    handler({ params: IdParams, body: GrantsBody }, ({ actor, params, body }) =>
      replaceGrants(personas, actor, { id: params.id, ...body }),
    ),
  );
}

/** Routes that preview a persona before it is saved. */
function addPreviews(
  router: Router,
  personas: PersonasFeature,
  { changes, previews }: { changes: RequestHandler; previews: RequestHandler },
): void {
  router.post(
    '/personas/preview',
    previews,
    handler({ body: PreviewPersonaBody }, ({ body }) => previewPersona(body)),
  );

  router.post(
    '/personas/fusion/preview',
    previews,
    handler({ body: FusePersonasBody }, ({ actor, body }) => previewFusion(personas, actor, body)),
  );

  router.post(
    '/personas/fusion',
    changes,
    handler({ body: FusePersonasBody, status: 201 }, ({ actor, body }) =>
      saveFusion(personas, actor, body),
    ),
  );

  router.post(
    '/personas/drafts',
    previews,
    handler({ body: DraftPersonaBody, status: 201 }, ({ actor, body }) => {
      if (body.fusion) return draftFusion(personas, actor, body.fusion);
      return draftPersona(personas, actor, PersonaFields.parse(body.persona));
    }),
  );
}
