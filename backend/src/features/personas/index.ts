import { Readable } from 'node:stream';
import { modelsOf } from '../../config.ts';
import type { Connection } from '../../db/mongo.ts';
import type { BillingService } from '../billing/index.ts';
import { type Core, defineFeature } from '../define-feature.ts';
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
  files: Pick<FilesService, 'findMany' | 'sizeOf'>;
}

type Models = ReturnType<typeof models>;

const models = (connection: Connection) => ({
  personas: definePersonaModel(connection),
  drafts: defineDraftModel(connection),
});

const createCards = ({
  service: personas,
  models,
  reader,
}: Pick<Core, 'reader'> & { service: PersonaService; models: Models }) =>
  createPersonaCards({ personas, store: createPersonaStore(models.personas), reader });

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
      sizeOfFiles: (ownerId, ids) => files.sizeOf(ownerId, ids),
      models: modelsOf(config),
      bus,
      now,
    }),
  routes: ({ rateLimit, ...own }) => [
    cardExportRoutes({ cards: createCards(own) }),
    personaRoutes({ personas: own.service, fusion: createFusion(own.service), rateLimit }),
  ],
  rawRoutes: ({ rateLimit, ...own }) => [cardImportRoutes({ cards: createCards(own), rateLimit })],
  contributors: ({ service }) => [createPersonaContributor(service)],
  exportUser: (own) =>
    async function* entries(userId) {
      const cards = createCards(own);
      const card = (id: string, format: 'v3' | 'png') => async () =>
        Readable.from([(await cards.export({ userId }, id, { format })).content]);
      for (const persona of await createPersonaStore(own.models.personas).list(userId)) {
        const { id, name, hasPicture } = persona;
        yield { path: `personas/${name}.json`, open: card(id, 'v3') };
        if (hasPicture) yield { path: `personas/${name}.png`, open: card(id, 'png') };
      }
    },
  eraseUser: ({ service }) => service.removeAllOf,
});
