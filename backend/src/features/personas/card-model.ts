import { type Connection, mongo, Schema, Types } from 'mongoose';
import type { PersonaKey } from './model.ts';

// Cards and pictures may have 10 MB. They have a separate collection, so that a list of personas reads none of them.

const { Binary } = mongo;
type Binary = mongo.Binary;

const schema = new Schema(
  {
    /** The id of the persona. */
    _id: { type: Schema.Types.ObjectId, required: true },
    ownerId: { type: Schema.Types.ObjectId, required: true, index: true },
    /** The character card as JSON text, because its keys are not valid field names here. Bytes, which no process decodes. */
    card: { type: Buffer, required: true },
    /** For a PNG card: its picture, as `FileReader.imageForCard` draws it. */
    picture: Buffer,
  },
  { versionKey: false },
);

export interface CardDocument {
  _id: Types.ObjectId;
  ownerId: Types.ObjectId;
  card: Binary;
  picture?: Binary;
}

/** The stored card of an imported persona. */
export interface StoredCard {
  /** JSON text. */
  json: Uint8Array;
  /** A PNG. */
  picture?: Uint8Array | undefined;
}

export const defineCardModel = (connection: Connection) =>
  connection.model('PersonaCard', schema, 'persona_cards');
export type CardModel = ReturnType<typeof defineCardModel>;

/** The cards of imported personas. Every query filters by owner. */
export const createCardStore = (model: CardModel) => ({
  insert: async ({ id, ownerId }: PersonaKey, { json, picture }: StoredCard): Promise<void> => {
    await model.collection.insertOne({
      _id: Types.ObjectId.createFromHexString(id),
      ownerId: Types.ObjectId.createFromHexString(ownerId),
      card: new Binary(json),
      ...(picture && { picture: new Binary(picture) }),
    });
  },

  /** The card of a persona with its picture. Null when it was not imported. */
  find: async ({ id, ownerId }: PersonaKey): Promise<{ json: Buffer; picture?: Buffer } | null> => {
    const doc = await model.findOne({ _id: id, ownerId }).lean<CardDocument>();
    if (!doc) return null;
    const { card, picture } = doc;
    return {
      json: Buffer.from(card.buffer),
      ...(picture && { picture: Buffer.from(picture.buffer) }),
    };
  },

  /** The picture alone, a PNG. */
  pictureOf: async ({ id, ownerId }: PersonaKey): Promise<Buffer | null> => {
    const doc = await model.findOne({ _id: id, ownerId }, { picture: 1 }).lean<CardDocument>();
    return doc?.picture ? Buffer.from(doc.picture.buffer) : null;
  },

  /** It can be repeated. */
  giveTo: async ({ id, ownerId }: PersonaKey, to: string): Promise<void> => {
    await model.updateOne({ _id: id, ownerId }, { $set: { ownerId: to } });
  },

  remove: async ({ id, ownerId }: PersonaKey): Promise<void> => {
    await model.deleteOne({ _id: id, ownerId });
  },

  removeAllOf: async (ownerId: string): Promise<void> => {
    await model.deleteMany({ ownerId });
  },
});
