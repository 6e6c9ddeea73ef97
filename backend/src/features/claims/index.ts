import { defineFeature } from '../define-feature.ts';
import { createClaimsFeature, type Others } from './feature.ts';
import { claimRoutes } from './routes.ts';
import { claimsStep } from './step.ts';

/** Compares what replies state with the sources of their conversations. */
export const claims = defineFeature({
  name: 'claims',
  models: () => ({}),
  owners: {},
  shardKeys: {},
  create: (core, others: Others) => createClaimsFeature(core, others),
  routes: ({ service, rateLimit }) => [claimRoutes(service, rateLimit)],
  postSteps: ({ service, jsonModel }) => [claimsStep(service, jsonModel)],
});
