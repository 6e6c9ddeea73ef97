import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import { ownDatabase } from '../../../test/processes.ts';
import type { Actor } from '../../access/index.ts';
import { PersonaFields } from '../../contract/personas.ts';
import { connectMongo, createIndexes } from '../../db/mongo.ts';
import { createDraftStore, defineDraftModel } from './draft-model.ts';
import { createPersonaStore, definePersonaModel } from './model.ts';
import { createPersonaService } from './service.ts';

export const newId = () => randomBytes(12).toString('hex');

export const actorOf = (userId = newId()): Actor => ({
  kind: 'session',
  userId,
  isGuest: false,
  sessionId: newId(),
  scopes: ['all'],
});

/** A persona's texts; what is not named is empty. */
export const fieldsOf = (changes: Partial<PersonaFields> = {}): PersonaFields =>
  PersonaFields.parse({ name: 'Ada', ...changes });

interface Heard {
  userId: string;
  event: string;
  payload: unknown;
}

/** The personas service on a database of the test's own. */
export async function openPersonas() {
  const connection = await connectMongo(ownDatabase());
  afterAll(() => connection.close());
  const model = definePersonaModel(connection);
  const draftModel = defineDraftModel(connection);
  await createIndexes(connection);
  const events: Heard[] = [];
  const plan: { personas: number | null } = { personas: 3 };
  const models = ['standard', 'owl-1'];
  const files = new Map<string, string>();
  const store = createPersonaStore(model);
  const drafts = createDraftStore(draftModel);
  const service = createPersonaService({
    store,
    drafts,
    billing: { entitlementsOf: async () => ({ ...plan }) as never },
    ownFiles: async (ownerId, ids) => ids.filter((id) => files.get(id) === ownerId),
    sizeOfFiles: async (_ownerId, ids) => ({ textBytes: ids.length * 900, images: 0 }),
    models,
    bus: {
      publish: async (userId, event, payload) => {
        events.push({ userId, event, payload });
      },
    },
    now: () => new Date(),
  });
  return { model, draftModel, store, service, events, plan, files, models };
}
