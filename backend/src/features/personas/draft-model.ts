import { createHash } from 'node:crypto';
import { type Connection, type InferSchemaType, Schema, type Types } from 'mongoose';
import type { PersonaFields } from '../../contract/personas.ts';
import { unlessDuplicate } from '../../db/mongo.ts';
import { recordsBy } from '../../db/records.ts';
import type { PersonaKey, PersonaRecord } from './model.ts';

const schema = new Schema(
  {
    ownerId: { type: Schema.Types.ObjectId, required: true },
    /** All `PersonaFields`. */
    fields: { type: Schema.Types.Mixed, required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  { versionKey: false, minimize: false },
);
schema.index({ ownerId: 1, createdAt: -1 });
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** A draft is erased after a day. */
const LIFETIME_MS = 24 * 3_600_000;
/** Maximum number of drafts of one user; the oldest are removed first. */
export const MAX_DRAFTS = 20;

export const defineDraftModel = (connection: Connection) =>
  connection.model('PersonaDraft', schema, 'persona_drafts');
export type DraftModel = ReturnType<typeof defineDraftModel>;

type DraftDocument = Omit<InferSchemaType<typeof schema>, 'fields'> & {
  _id: Types.ObjectId;
  fields: PersonaFields;
};

const toRecord = ({ _id, ownerId, fields, createdAt }: DraftDocument): PersonaRecord => ({
  ...fields,
  id: String(_id),
  ownerId: String(ownerId),
  version: 1,
  hasCard: false,
  createdAt,
  updatedAt: createdAt,
});

const recordsIn = recordsBy(toRecord);

/** The same draft has the same id: a repeated request stores nothing new. */
const idOf = (ownerId: string, fields: PersonaFields): string =>
  createHash('sha256')
    .update(`${ownerId}:${JSON.stringify(fields)}`)
    .digest('hex')
    .slice(0, 24);

/** Personas that are tried before they are saved. Every query filters by owner. */
export function createDraftStore(model: DraftModel) {
  const removeOldest = async (ownerId: string): Promise<void> => {
    const old = await model
      .find({ ownerId }, { _id: 1 })
      .sort({ createdAt: -1, _id: -1 })
      .skip(MAX_DRAFTS)
      .lean();
    if (old.length > 0)
      await model.deleteMany({ ownerId, _id: { $in: old.map(({ _id }) => _id) } });
  };

  return {
    /**
     * Stores a draft for a day.
     * @returns its id
     */
    put: async (ownerId: string, fields: PersonaFields, now: Date): Promise<string> => {
      const id = idOf(ownerId, fields);
      const expiresAt = new Date(now.getTime() + LIFETIME_MS);
      const draft = { fields, createdAt: now, expiresAt };
      // Not when the same request was processed at the same time.
      await unlessDuplicate(
        model.updateOne({ _id: id, ownerId }, { $set: draft }, { upsert: true }),
      );
      await removeOldest(ownerId);
      return id;
    },

    find: ({ id, ownerId }: PersonaKey): Promise<PersonaRecord | null> =>
      recordsIn(model).findOne({ _id: id, ownerId }),

    removeAllOf: async (ownerId: string): Promise<void> => {
      await model.deleteMany({ ownerId });
    },
  };
}
