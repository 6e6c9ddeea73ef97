import { type Connection, Schema, Types } from 'mongoose';
import { type Grant, userPrincipal } from '../../access/index.ts';
import type { PersonaFields } from '../../contract/personas.ts';
import { isDuplicateKey } from '../../db/mongo.ts';
import {
  createGrantStore,
  grantsField,
  onlyShared,
  type StoredGrants,
  toGrants,
} from '../record-grants-model.ts';

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

export interface Fusion {
  members: { id: string; name: string; weight: number }[];
}

export interface PersonaRecord extends PersonaFields {
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

/** A persona of a user; ready-made ones have no owner and no grants. */
export type OwnPersona = PersonaRecord & { ownerId: string; grants: readonly Grant[] };

/** The stored data of a persona besides the owner's fields. */
export interface PersonaExtras {
  hasCard?: boolean;
  hasPicture?: boolean;
  fusion?: Fusion | undefined;
}

interface PersonaDocument extends PersonaExtras {
  _id: Types.ObjectId;
  ownerId: Types.ObjectId;
  slot: number;
  version: number;
  name: string;
  grants?: StoredGrants;
  fields: Omit<PersonaFields, 'name' | 'model'> & Partial<Pick<PersonaFields, 'model'>>;
  createdAt: Date;
  updatedAt: Date;
}

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

export interface PersonaKey {
  id: string;
  ownerId: string;
}

/** The personas of users. Queries filter by owner, but those for what is shared with somebody. */
export const createPersonaStore = (model: PersonaModel) => ({
  ...readCalls(model),
  ...changeCalls(model),
  ...handOverCalls(model),
  ...createGrantStore(model, toRecord),
});

function readCalls(model: PersonaModel) {
  const find = async ({ id, ownerId }: PersonaKey): Promise<OwnPersona | null> => {
    const doc = await model.findOne({ _id: id, ownerId }).lean<PersonaDocument>();
    return doc && toRecord(doc);
  };
  return {
    find,

    /** The owner's personas, last changed first. */
    list: async (ownerId: string): Promise<OwnPersona[]> => {
      const docs = await model
        .find({ ownerId })
        .sort({ updatedAt: -1, _id: -1 })
        .lean<PersonaDocument[]>();
      return docs.map(toRecord);
    },

    /** Personas that are shared with one of the principals, last changed first. */
    listShared: async (principals: readonly string[], limit: number): Promise<OwnPersona[]> => {
      const docs = await model
        .find({ 'grants.principal': { $in: principals } })
        .sort({ updatedAt: -1, _id: -1 })
        .limit(limit)
        .lean<PersonaDocument[]>();
      return docs.map(toRecord);
    },
  };
}

const changeCalls = (model: PersonaModel) => ({
  ...insertCalls(model),
  ...updateCalls(model),
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
      try {
        await model.collection.insertOne(document);
        return toRecord(document);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
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
      const last = await model
        .findOne({ ownerId: to }, { slot: 1 })
        .sort({ slot: -1 })
        .lean<PersonaDocument>();
      try {
        const doc = await model
          .findOneAndUpdate(
            { _id: id, ownerId },
            {
              $set: { ownerId: to, slot: (last?.slot ?? -1) + 1 },
              $pull: { grants: { principal: userPrincipal(to) } },
              $unset: { fusion: 1 },
            },
            { returnDocument: 'after' },
          )
          .lean<PersonaDocument>();
        return doc && toRecord(doc);
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
  update: async (
    { id, ownerId, version }: PersonaKey & { version: number },
    { name, ...fields }: { [Field in keyof PersonaFields]?: PersonaFields[Field] | undefined },
    now: Date,
  ): Promise<OwnPersona | null> => {
    const set = Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => [`fields.${field}`, value]);
    const doc = await model
      .findOneAndUpdate(
        { _id: id, ownerId, version },
        {
          $set: {
            ...Object.fromEntries(set),
            ...(name !== undefined && { name }),
            updatedAt: now,
          },
          $inc: { version: 1 },
        },
        { returnDocument: 'after' },
      )
      .lean<PersonaDocument>();
    return doc && toRecord(doc);
  },

  /** @returns whether there was one */
  remove: async ({ id, ownerId }: PersonaKey): Promise<boolean> =>
    (await model.deleteOne({ _id: id, ownerId })).deletedCount === 1,

  removeAllOf: async (ownerId: string): Promise<void> => {
    await model.deleteMany({ ownerId });
  },
});
