import { type Config, modelsOf } from '../../config.ts';
import type { ServerEvents } from '../../contract/realtime.ts';
import type { BillingService } from '../billing/index.ts';
import type { Core } from '../define-feature.ts';
import type { FilesService } from '../files/index.ts';
import type { AsksWorkspaces } from '../record-grants.ts';
import { createCardStore, defineCardModel } from './card-model.ts';
import { createDraftStore, defineDraftModel } from './draft-model.ts';
import { createPersonaStore, definePersonaModel } from './model.ts';

/** What personas need of other features. */
export interface Others {
  billing: Pick<BillingService, 'entitlementsOf'>;
  files: Pick<FilesService, 'findMany' | 'sizeOf'>;
  workspaces: AsksWorkspaces['others']['workspaces'];
}

export const defineModels = (connection: Core['connection']) => ({
  personas: definePersonaModel(connection),
  cards: defineCardModel(connection),
  drafts: defineDraftModel(connection),
});

/** The object of this feature. A persona that is not shared with the actor answers 404 in all functions. */
export type PersonasFeature = ReturnType<typeof createPersonasFeature>;

interface Needs extends Pick<Core, 'reader' | 'bus' | 'now'> {
  models: ReturnType<typeof defineModels>;
  config: Pick<Config, 'OPENAI_MODEL' | 'PERSONA_MODELS'>;
}

type Event = 'persona:summary' | 'persona:deleted';

export const createPersonasFeature = (
  { models, config, reader, bus, now }: Needs,
  others: Others,
) => ({
  personas: createPersonaStore(models.personas),
  cards: createCardStore(models.cards),
  drafts: createDraftStore(models.drafts),
  /** The models that a persona may name; the first one is the default. */
  offeredModels: modelsOf(config),
  reader,
  others,
  now,
  /** Events are not awaited: a tab that misses one catches up. */
  publish: <E extends Event>(ownerId: string, event: E, payload: Parameters<ServerEvents[E]>[0]) =>
    void bus.publish(ownerId, event, payload),
});
