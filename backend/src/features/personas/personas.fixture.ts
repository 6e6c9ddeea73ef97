import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import { testFileReader } from '../../../test/file-reader.ts';
import { ownDatabase } from '../../../test/processes.ts';
import { type Actor, sessionActor } from '../../access/index.ts';
import { PersonaFields } from '../../contract/personas.ts';
import { connectMongo, createIndexes } from '../../db/mongo.ts';
import { createPersonasFeature, defineModels, type Others } from './feature.ts';

export const newId = () => randomBytes(12).toString('hex');

export const actorOf = (userId = newId()): Actor =>
  sessionActor({ userId, isGuest: false, sessionId: newId() });

/** A persona's fields; missing ones are empty. */
export const fieldsOf = (changes: Partial<PersonaFields> = {}): PersonaFields =>
  PersonaFields.parse({ name: 'Ada', ...changes });

interface Heard {
  userId: string;
  event: string;
  payload: unknown;
}

/** Personas on a separate database. */
export async function openPersonas() {
  const connection = await connectMongo(ownDatabase());
  afterAll(() => connection.close());
  const models = defineModels(connection);
  await createIndexes(connection);
  const events: Heard[] = [];
  const plan: { personas: number | null } = { personas: 3 };
  const files = new Map<string, string>();
  const others: Others = {
    billing: { entitlementsOf: async () => ({ ...plan }) as never },
    files: {
      findMany: async (ownerId, ids) =>
        ids.filter((id) => files.get(id) === ownerId).map((id) => ({ id })) as never,
      sizeOf: async (_ownerId, ids) => ({ textBytes: ids.length * 900, images: 0 }),
    },
    workspaces: {
      places: async () => [],
      names: async () => () => '',
      colleagues: async () => new Set(),
    },
  };
  const core = {
    models,
    config: { OPENAI_MODEL: 'standard', PERSONA_MODELS: ['owl-1'] },
    reader: testFileReader(),
    bus: {
      publish: async (userId: string, event: string, payload: unknown) => {
        events.push({ userId, event, payload });
      },
    } as never,
    now: () => new Date(),
  };
  return { ...createPersonasFeature(core, others), models, events, plan, files };
}
