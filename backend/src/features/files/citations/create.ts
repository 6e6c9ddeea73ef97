import { COMPARING_CARDS } from '../../../contract/plans.ts';
import type { BillingService } from '../../billing/index.ts';
import type { FilesFeature } from '../feature.ts';
import type { FileStore } from '../library/records-model.ts';
import type { Reading } from '../reading/index.ts';
import { createFilesContext } from '../retrieval/files-context.ts';
import type { Vectors } from '../vectors/index.ts';
import { createModelImages } from './images.ts';
import { createReplyContext } from './reply-context.ts';
import { type ComparingModel, createSourcesStep } from './sources-step.ts';

interface CitationDeps {
  store: Pick<FileStore, 'findMany'>;
  reading: Pick<Reading, 'texts' | 'copies' | 'waitUntilRead'>;
  billing: Pick<BillingService, 'entitlementsOf'>;
  /** Null without an embedding model. */
  vectors: Pick<Vectors, 'similaritiesOf'> | null;
}

/** What replies are given of files, and what they cite of them. */
export function createCitations(
  { config, reader, log }: Pick<FilesFeature, 'config' | 'reader' | 'log'>,
  {
    store: { findMany },
    reading: { texts, copies, waitUntilRead },
    billing,
    vectors,
  }: CitationDeps,
) {
  const imagesOf = createModelImages({
    reader,
    copies,
    log,
    vision: config.OPENAI_VISION,
    budgetTokens: config.CONTEXT_TOKENS,
  });
  return {
    contextOf: createReplyContext({
      findMany,
      waitUntilRead,
      contextOf: createFilesContext({
        texts,
        imagesOf,
        log,
        similaritiesOf: vectors?.similaritiesOf,
      }),
    }),
    sourcesStep: (model: ComparingModel) =>
      createSourcesStep({
        ...model,
        findMany,
        pagesOf: texts.pagesOf,
        comparesFiles: async (userId) =>
          (await billing.entitlementsOf(userId)).features.includes(COMPARING_CARDS),
      }),
  };
}
