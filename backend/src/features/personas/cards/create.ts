import type { Actor } from '../../../access/index.ts';
import {
  type CardExportQuery,
  type CardPreview,
  type Persona,
  PersonaFields,
} from '../../../contract/personas.ts';
import { AppError, notFound } from '../../../errors.ts';
import type { FileReader } from '../../../reading/index.ts';
import { cleanFileName } from '../../files/index.ts';
import type { PersonaStore } from '../model.ts';
import type { PersonaService } from '../service.ts';
import { CardData } from './card.ts';
import { fromCard } from './from-card.ts';
import { createPictureReading } from './picture.ts';
import { readCard } from './read-card.ts';
import { instructionsIn, type Options } from './standard.ts';
import { type KeptCard, writeCard, writeCardPng } from './write-card.ts';

interface CardsDeps {
  personas: Pick<PersonaService, 'get' | 'create' | 'withOfferedModel'>;
  store: Pick<PersonaStore, 'cardOf' | 'pictureOf'>;
  reader: Pick<FileReader, 'imageForCard'>;
}

export interface CardFile {
  name: string;
  type: string;
  content: Buffer;
}

/** Import and export of personas as character cards. */
export type PersonaCards = ReturnType<typeof createPersonaCards>;

export function createPersonaCards({ personas, store, reader }: CardsDeps) {
  const pictureIn = createPictureReading(reader);

  const read = (bytes: Buffer) => {
    const card = readCard(bytes);
    const parsed = CardData.safeParse(card.data);
    if (!parsed.success) throw noName();
    return { card, data: parsed.data };
  };

  /** Files of another account are none of this one, and models of another server may not be offered here. */
  const importable = (data: CardData, options: Options): PersonaFields => {
    const persona = fromCard(data, options);
    const knowledge = persona.knowledge.filter(({ fileId }) => fileId === undefined);
    return personas.withOfferedModel({ ...persona, knowledge });
  };

  const keptCard = async (id: string, ownerId: string): Promise<KeptCard | null> => {
    const text = await store.cardOf({ id, ownerId });
    return text === null ? null : (JSON.parse(text) as KeptCard);
  };

  return {
    /** What an import would make of the file; nothing is stored. @throws AppError invalid_field, too_large */
    preview: (bytes: Buffer): CardPreview => {
      const { card, data } = read(bytes);
      return {
        persona: importable(data, { acceptsInstructions: false }),
        format: card.spec,
        instructions: instructionsIn(data),
        creator: data.creator,
        creatorNotes: data.creator_notes,
      };
    },

    /** Imports a card as a persona of the user. @throws AppError as `preview`, persona_limit */
    import: async (actor: Actor, bytes: Buffer, options: Options): Promise<Persona> => {
      const { card, data } = read(bytes);
      const kept: KeptCard = { card, ...options };
      const fields = importable(data, options);
      const picture = (await pictureIn(bytes)) ?? undefined;
      return personas.create(actor, fields, { card: JSON.stringify(kept), picture });
    },

    /** The picture of a persona's card, a PNG. @throws AppError not_found, also when there is none */
    picture: async ({ userId: ownerId }: Pick<Actor, 'userId'>, id: string): Promise<Buffer> => {
      const picture = await store.pictureOf({ id, ownerId });
      if (!picture) throw notFound('persona');
      return picture;
    },

    /** @throws AppError not_found */
    export: async (
      actor: Pick<Actor, 'userId'>,
      id: string,
      { format }: CardExportQuery,
    ): Promise<CardFile> => {
      const record = await personas.get(actor, id);
      const persona = { ...PersonaFields.parse(record), fusion: record.fusion };
      const kept = await keptCard(id, actor.userId);
      const file = (extension: string) => cleanFileName(`${persona.name}.${extension}`);
      if (format === 'png') {
        const picture = await store.pictureOf({ id, ownerId: actor.userId });
        const content = writeCardPng(persona, { kept, picture });
        return { name: file('png'), type: 'image/png', content };
      }
      const json = JSON.stringify(writeCard(persona, format, kept), null, 2);
      return { name: file('json'), type: 'application/json', content: Buffer.from(json) };
    },
  };
}

const noName = () =>
  new AppError('invalid_field', 'This card has no name.', { details: { field: 'file' } });
