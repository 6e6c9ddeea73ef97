import { defineFeature } from '../define-feature.ts';
import { forWorkspaces } from '../record-grants.ts';
import type { HandingOver } from '../record-grants-model.ts';
import { exportPersonas } from './cards/export.ts';
import { cardExportRoutes, cardImportRoutes } from './cards/routes.ts';
import { choosePersona } from './choose.ts';
import { personaContributor } from './contributor.ts';
import { removeAllOf } from './edit.ts';
import { createPersonasFeature, defineModels, type Others } from './feature.ts';
import { handOver } from './hand-over.ts';
import { cardsApart } from './migrations.ts';
import { personaRoutes } from './routes.ts';

/** Personas, chosen by users, which define how replies are written. */
export const personas = defineFeature({
  name: 'personas',
  models: defineModels,
  owners: { personas: 'ownerId', cards: 'ownerId', drafts: 'ownerId' },
  shardKeys: { personas: ['ownerId'], cards: ['ownerId'], drafts: ['ownerId'] },
  migrations: [cardsApart],
  socketEvents: ['persona:summary', 'persona:deleted'],
  create: (core, others: Others) => {
    const feature = createPersonasFeature(core, others);
    return {
      ...feature,
      /** For the chat. */
      choose: (ownerId: string, id: string) => choosePersona(feature, ownerId, id),
      ...forWorkspaces(feature.personas),
      handOver: (given: HandingOver) => handOver(feature, given),
    };
  },
  routes: ({ service, rateLimit }) => [
    cardExportRoutes(service),
    personaRoutes(service, rateLimit),
  ],
  rawRoutes: ({ service, rateLimit }) => [cardImportRoutes(service, rateLimit)],
  contributors: ({ service }) => [personaContributor(service)],
  exportUser: ({ service }, userId) => exportPersonas(service, userId),
  eraseUser: async ({ service }, userId) => {
    await removeAllOf(service, userId);
    await service.endGrants({ userId });
  },
});
