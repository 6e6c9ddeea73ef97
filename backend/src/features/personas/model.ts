import { type Connection, type InferSchemaType, Schema, Types } from 'mongoose';
import { type Grant, userPrincipal } from '../../access/index.ts';
import type { PersonaFields, PersonaSummary } from '../../contract/personas.ts';
import { isDuplicateKey, unlessDuplicate } from '../../db/mongo.ts';
import { recordsBy } from '../../db/records.ts';
import { createGrantStore, grantsField, onlyShared, toGrants } from '../record-grants-model.ts';

const { ObjectId, Mixed } = Schema.Types;

const schema = new Schema(
  {
    ownerId: { type: ObjectId, required: true },
    /** From 0, unique per owner: a user with a limit of 3 has the slots 0 to 2. */
    slot: { type: Number, required: true },
    version: { type: Number, required: true },
    name: { type: String, required: true },
    /** The other `PersonaFields`. */
    fields: { type: Mixed, required: true },
    fusion: Mixed,
    grants: grantsField,
    /** Whether it was imported from a character card, and whether that had a picture: see the card store. */
    hasCard: Boolean,
    hasPicture: Boolean,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { versionKey: false, minimize: false },
);
// The index refuses a persona beyond the limit: two concurrent requests get the same slot.
schema.index({ ownerId: 1, slot: 1 }, { unique: true });
// What is shared with one principal.
schema.index({ 'grants.principal': 1, updatedAt: -1 }, onlyShared);

export type Fusion = NonNullable<PersonaSummary['fusion']>;

/** A persona without its long texts. */
export interface SummaryRecord
  extends Pick<PersonaFields, 'name' | 'role' | 'avatar' | 'greeting' | 'depth'> {
  id: string;
  /** Null for a ready-made one. */
  ownerId: string | null;
  version: number;
  hasCard: boolean;
  hasPicture?: boolean;
  fusion?: Fusion;
  grants?: readonly Grant[];
  createdAt: Date;
  updatedAt: Date;
}

export interface PersonaRecord extends SummaryRecord, PersonaFields {}

/** A persona of a user; ready-made ones have no owner and no grants. */
export type OwnPersona = PersonaRecord & { ownerId: string; grants: readonly Grant[] };

/** The stored data of a persona besides the owner's fields. */
export interface PersonaExtras {
  hasCard?: boolean;
  hasPicture?: boolean;
  fusion?: Fusion | undefined;
}

type PersonaDocument = Omit<InferSchemaType<typeof schema>, keyof PersonaExtras | 'fields'> &
  PersonaExtras & {
    _id: Types.ObjectId;
    fields: Omit<PersonaFields, 'name' | 'model'> & Partial<Pick<PersonaFields, 'model'>>;
  };

export const definePersonaModel = (connection: Connection) =>
  connection.model('Persona', schema, 'personas');
export type PersonaModel = ReturnType<typeof definePersonaModel>;

const toRecord = (doc: PersonaDocument): OwnPersona => ({
  // Personas of earlier versions have no model.
  model: null,
  ...doc.fields,
  id: String(doc._id),
  ownerId: String(doc.ownerId),
  name: doc.name,
  version: doc.version,
  hasCard: doc.hasCard ?? false,
  ...(doc.hasPicture && { hasPicture: true }),
  ...(doc.fusion && { fusion: doc.fusion }),
  grants: toGrants(doc.grants),
  createdAt: doc.createdAt,
  updatedAt: doc.updatedAt,
});

const recordsIn = recordsBy(toRecord);
const summariesIn = recordsBy<PersonaDocument, SummaryRecord>(toRecord);

/** The fields of a `SummaryRecord`. */
const SUMMARY = {
  ownerId: 1,
  version: 1,
  name: 1,
  'fields.role': 1,
  'fields.avatar': 1,
  'fields.greeting': 1,
  'fields.depth': 1,
  fusion: 1,
  grants: 1,
  hasCard: 1,
  hasPicture: 1,
  createdAt: 1,
  updatedAt: 1,
} as const;

export interface PersonaKey {
  id: string;
  ownerId: string;
}

/** The personas of users. Queries filter by owner, but those for what is shared with somebody. */
export const createPersonaStore = (model: PersonaModel) => ({
  ...readCalls(model),
  ...insertCalls(model),
  ...updateCalls(model),
  ...handOverCalls(model),
  ...createGrantStore(model, toRecord),
});

const readCalls = (model: PersonaModel) => ({
  find: ({ id, ownerId }: PersonaKey): Promise<OwnPersona | null> =>
    recordsIn(model).findOne({ _id: id, ownerId }),

  /**
   * The owner's personas, last changed first. The database does not sort them, because it would sort them with their texts, and refuses to
   * sort more than 100 MB.
   */
  list: async (ownerId: string): Promise<SummaryRecord[]> =>
    (await summariesIn(model).find({ ownerId }, { projection: SUMMARY })).toSorted(
      (a, b) => b.updatedAt.getTime() - a.updatedAt.getTime() || (a.id < b.id ? 1 : -1),
    ),

  /** Personas that are shared with one of the principals, last changed first. */
  listShared: (principals: readonly string[], limit: number): Promise<SummaryRecord[]> =>
    summariesIn(model).find(
      { 'grants.principal': { $in: principals } },
      { projection: SUMMARY, sort: { updatedAt: -1, _id: -1 }, limit },
    ),
});

const insertCalls = (model: PersonaModel) => ({
  /** @returns null when the owner has `limit` personas or more */
  insert: async (
    ownerId: string,
    { name, ...fields }: PersonaFields,
    { limit, now, ...extras }: PersonaExtras & { limit: number; now: Date },
  ): Promise<OwnPersona | null> => {
    for (;;) {
      const slot = await freeSlot(model, ownerId, limit);
      if (slot === null) return null;
      const document: PersonaDocument = {
        _id: new Types.ObjectId(),
        ownerId: Types.ObjectId.createFromHexString(ownerId),
        slot,
        version: 1,
        name,
        fields,
        ...extras,
        createdAt: now,
        updatedAt: now,
      };
      if (await unlessDuplicate(model.collection.insertOne(document))) return toRecord(document);
    }
  },
});

/** The next owner of a persona. */
const handOverCalls = (model: PersonaModel) => ({
  /**
   * Gives a persona to another user, also beyond the limit of the user's plan. It is no fusion any more: its members are private.
   * @returns null when it is gone
   */
  giveTo: async ({ id, ownerId }: PersonaKey, to: string): Promise<OwnPersona | null> => {
    for (;;) {
      const last = await model.findOne({ ownerId: to }, { slot: 1 }).sort({ slot: -1 }).lean();
      try {
        return await recordsIn(model).update(
          { _id: id, ownerId },
          {
            $set: { ownerId: to, slot: (last?.slot ?? -1) + 1 },
            $pull: { grants: { principal: userPrincipal(to) } },
            $unset: { fusion: 1 },
          },
        );
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    }
  },
});

/** A free slot below `limit`; null when all are taken. */
async function freeSlot(
  model: PersonaModel,
  ownerId: string,
  limit: number,
): Promise<number | null> {
  const used = await model.countDocuments({ ownerId });
  if (used >= limit) return null;
  // Without deleted personas, the first of these is free.
  const slots = Array.from({ length: limit }, (_, n) => (used + n) % limit);
  for (const slot of slots) if ((await model.countDocuments({ ownerId, slot })) === 0) return slot;
  return null;
}

const updateCalls = (model: PersonaModel) => ({
  /**
   * Changes the given fields.
   * @returns null when there is no such persona at this version
   */
  update: (
    { id, ownerId, version }: PersonaKey & { version: number },
    { name, ...fields }: { [Field in keyof PersonaFields]?: PersonaFields[Field] | undefined },
    now: Date,
  ): Promise<OwnPersona | null> => {
    const set = Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => [`fields.${field}`, value]);
    return recordsIn(model).update(
      { _id: id, ownerId, version },
      {
        $set: {
          ...Object.fromEntries(set),
          ...(name !== undefined && { name }),
          updatedAt: now,
        },
        $inc: { version: 1 },
      },
    );
  },

  /** @returns whether there was one */
  remove: async ({ id, ownerId }: PersonaKey): Promise<boolean> =>
    (await model.deleteOne({ _id: id, ownerId })).deletedCount === 1,

  removeAllOf: async (ownerId: string): Promise<void> => {
    await model.deleteMany({ ownerId });
  },
});
