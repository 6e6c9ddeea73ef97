import { Readable } from 'node:stream';
import { modelsOf } from '../../config.ts';
import type { Connection } from '../../db/mongo.ts';
import type { BillingService } from '../billing/index.ts';
import { defineFeature } from '../define-feature.ts';
import type { FilesService } from '../files/index.ts';
import { createPersonaCards } from './cards/create.ts';
import { cardExportRoutes, cardImportRoutes } from './cards/routes.ts';
import { createPersonaContributor } from './contributor.ts';
import { createDraftStore, defineDraftModel } from './draft-model.ts';
import { createFusion } from './fusion/create.ts';
import { createPersonaStore, definePersonaModel } from './model.ts';
import { personaRoutes } from './routes.ts';
import { createPersonaService, type PersonaService } from './service.ts';

export type { PersonaService } from './service.ts';

/** What personas need of other features. */
interface Others {
  billing: Pick<BillingService, 'entitlementsOf'>;
  files: Pick<FilesService, 'findMany'>;
}

type Models = ReturnType<typeof models>;

const models = (connection: Connection) => ({
  personas: definePersonaModel(connection),
  drafts: defineDraftModel(connection),
});

const createCards = (personas: PersonaService, { personas: model }: Models) =>
  createPersonaCards({ personas, store: createPersonaStore(model) });

/** Personas: how replies are written, chosen by the user. */
export const personas = defineFeature({
  name: 'personas',
  models,
  owners: { personas: 'ownerId', drafts: 'ownerId' },
  socketEvents: ['persona:changed', 'persona:deleted'],
  create: ({ models, config, bus, now }, { billing, files }: Others) =>
    createPersonaService({
      store: createPersonaStore(models.personas),
      drafts: createDraftStore(models.drafts),
      billing,
      ownFiles: async (ownerId, ids) => (await files.findMany(ownerId, ids)).map(({ id }) => id),
      models: modelsOf(config),
      bus,
      now,
    }),
  routes: ({ service, models, rateLimit }) => [
    cardExportRoutes({ cards: createCards(service, models) }),
    personaRoutes({ personas: service, fusion: createFusion(service), rateLimit }),
  ],
  rawRoutes: ({ service, models, rateLimit }) => [
    cardImportRoutes({ cards: createCards(service, models), rateLimit }),
  ],
  contributors: ({ service }) => [createPersonaContributor(service)],
  exportUser: ({ service, models }) =>
    async function* entries(userId) {
      const cards = createCards(service, models);
      for (const { id, name } of await createPersonaStore(models.personas).list(userId)) {
        const read = async () => (await cards.export({ userId }, id, { format: 'v3' })).content;
        yield { path: `personas/${name}.json`, open: async () => Readable.from([await read()]) };
      }
    },
  eraseUser: ({ service }) => service.removeAllOf,
});
