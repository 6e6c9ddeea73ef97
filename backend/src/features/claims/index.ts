import type { RequestStep } from '../chat/index.ts';
import { defineFeature } from '../define-feature.ts';
import type { FilesService } from '../files/index.ts';
import type { UsageService } from '../usage/index.ts';
import { claimRoutes } from './routes.ts';
import type { SourcesDeps } from './sources.ts';
import { createClaimsStep } from './step.ts';

interface Others {
  usage: UsageService;
  files: FilesService;
  chat: { requestStep: RequestStep; messages: SourcesDeps['messages'] };
}

/** Compares what replies state with the sources of their conversations. It stores nothing but metadata of replies. */
export const claims = defineFeature({
  name: 'claims',
  models: () => ({}),
  owners: {},
  create: (_, others: Others) => others,
  routes: ({ others, ...own }) => [claimRoutes({ ...own, requestStep: others.chat.requestStep })],
  postSteps: ({ others: { chat, ...others }, ...own }) => [
    createClaimsStep({ ...own, ...others, messages: chat.messages }),
  ],
});
