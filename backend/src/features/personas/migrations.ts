import { mongo, type Types } from 'mongoose';
import type { Migration } from '../../db/migrate.ts';
import type { CardDocument } from './card-model.ts';

/** A persona of an earlier version, with its card in its own document, as bytes or as a string. */
interface FormerPersona {
  _id: Types.ObjectId;
  ownerId: Types.ObjectId;
  card: mongo.Binary | string;
  picture?: mongo.Binary;
}

/** Moves the cards of personas to a separate collection. */
export const cardsApart: Migration = {
  id: '0015-cards-apart',
  kind: 'expand',
  run: async (connection) => {
    const personas = connection.collection<FormerPersona>('personas');
    const cards = connection.collection<CardDocument>('persona_cards');
    for (;;) {
      const persona = await personas.findOne({ card: { $exists: true } });
      if (!persona) return;
      const { _id, ownerId, card, picture } = persona;
      const kept = {
        ownerId,
        card: typeof card === 'string' ? new mongo.Binary(Buffer.from(card)) : card,
        ...(picture && { picture }),
      };
      await cards.replaceOne({ _id }, kept, { upsert: true });
      await personas.updateOne(
        { _id },
        {
          $set: { hasCard: true, ...(picture && { hasPicture: true }) },
          $unset: { card: 1, picture: 1 },
        },
      );
    }
  },
};
