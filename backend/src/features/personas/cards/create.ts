import path from 'node:path';
import type { Actor } from '../../../access/index.ts';
import {
  type CardExportQuery,
  type CardPreview,
  type Persona,
  PersonaFields,
} from '../../../contract/personas.ts';
import { AppError, notFound } from '../../../errors.ts';
import { type FileReader, UnreadableFileError } from '../../../reading/index.ts';
import { cleanFileName } from '../../../text/file-name.ts';
import type { PersonaStore } from '../model.ts';
import type { PersonaService } from '../service.ts';
import { type CardDigest, FILES, inFolder, type WriteRequest } from './exchange.ts';
import { cardTooLarge } from './read-card.ts';
import type { Options } from './standard.ts';
import { cardFile, type Exported, type KeptCard } from './write-card.ts';

interface CardsDeps {
  personas: Pick<PersonaService, 'get' | 'create' | 'withOfferedModel'>;
  store: Pick<PersonaStore, 'cardOf' | 'pictureOf'>;
  reader: Pick<FileReader, 'imageForCard' | 'readCard' | 'writeCard'>;
}

export interface CardFile {
  name: string;
  type: string;
  content: Buffer;
}

type ReadCard = Exclude<CardDigest, { refusal: unknown }>;
type Reader = Pick<Actor, 'userId'> & Partial<Pick<Actor, 'isGuest'>>;

/** The stored card of a persona that is longer, in UTF-16 code units, is written by a child. */
const MAX_WRITTEN_HERE = 64 * 1024;

/** Import and export of personas as character cards. */
export type PersonaCards = ReturnType<typeof createPersonaCards>;

export function createPersonaCards({ personas, store, reader }: CardsDeps) {
  /** Reads a card in a child; `json` is the card as it is stored. */
  const read = async (
    actor: Reader,
    folder: string,
  ): Promise<{ digest: ReadCard; json: string }> => {
    const bytes = await reader.readCard({ path: folder, group: groupOf(actor) }).catch(orTooLarge);
    const end = bytes.indexOf('\n');
    const digest = JSON.parse(bytes.toString('utf8', 0, end)) as CardDigest;
    if (!('refusal' in digest)) return { digest, json: bytes.toString('utf8', end + 1) };
    const { code, message, details } = digest.refusal;
    throw new AppError(code, message, details && { details });
  };

  /** The card's picture, drawn anew; null when it cannot be read: the persona is imported all the same. */
  const pictureIn = (actor: Reader, folder: string): Promise<Buffer | null> =>
    reader
      .imageForCard({
        path: path.join(folder, FILES.card),
        name: 'card.png',
        group: groupOf(actor),
      })
      .catch((error: unknown) => {
        if (error instanceof UnreadableFileError) return null;
        throw error;
      });

  /** Files of another account are none of this one, and models of another server may not be offered here. */
  const importable = (persona: PersonaFields): PersonaFields => {
    const knowledge = persona.knowledge.filter(({ fileId }) => fileId === undefined);
    return personas.withOfferedModel({ ...persona, knowledge });
  };

  const write = async (
    actor: Reader,
    parts: { persona: Exported; format: CardExportQuery['format'] },
    stored: { card: string | null; picture: Buffer | null },
  ): Promise<Buffer> => {
    const { card, picture } = stored;
    if (card === null || card.length <= MAX_WRITTEN_HERE)
      return cardFile({
        ...parts,
        picture,
        kept: card === null ? null : (JSON.parse(card) as KeptCard),
      });
    const request: WriteRequest = { ...parts, hasPicture: picture !== null };
    const files = {
      [FILES.request]: JSON.stringify(request),
      [FILES.card]: card,
      ...(picture && { [FILES.picture]: picture }),
    };
    const group = groupOf(actor);
    return inFolder(files, (folder) => reader.writeCard({ path: folder, group })).catch(orTooLarge);
  };

  return {
    /** What an import would make of the file; nothing is stored. @throws AppError invalid_field, too_large */
    preview: (actor: Reader, bytes: Buffer): Promise<CardPreview> =>
      inFolder({ [FILES.card]: bytes }, async (folder) => {
        const { instructed: _, hasPicture: __, ...digest } = (await read(actor, folder)).digest;
        return { ...digest, persona: importable(digest.persona) };
      }),

    /** Imports a card as a persona of the user. @throws AppError as `preview`, persona_limit */
    import: (actor: Actor, bytes: Buffer, { acceptsInstructions }: Options): Promise<Persona> =>
      inFolder({ [FILES.card]: bytes }, async (folder) => {
        const { digest, json } = await read(actor, folder);
        const fields = importable(acceptsInstructions ? digest.instructed : digest.persona);
        const picture = (digest.hasPicture && (await pictureIn(actor, folder))) || undefined;
        // `KeptCard` as JSON.
        const card = `{"card":${json},"acceptsInstructions":${acceptsInstructions}}`;
        return personas.create(actor, fields, { card, picture });
      }),

    /** The picture of a persona's card, a PNG. @throws AppError not_found, also when there is none */
    picture: async ({ userId: ownerId }: Pick<Actor, 'userId'>, id: string): Promise<Buffer> => {
      const picture = await store.pictureOf({ id, ownerId });
      if (!picture) throw notFound('persona');
      return picture;
    },

    /** @throws AppError not_found */
    export: async (actor: Reader, id: string, { format }: CardExportQuery): Promise<CardFile> => {
      const record = await personas.get(actor, id);
      const persona = { ...PersonaFields.parse(record), fusion: record.fusion };
      const key = { id, ownerId: actor.userId };
      const isPng = format === 'png';
      const [card, picture] = await Promise.all([
        store.cardOf(key),
        isPng ? store.pictureOf(key) : null,
      ]);
      return {
        name: cleanFileName(`${persona.name}.${isPng ? 'png' : 'json'}`),
        type: isPng ? 'image/png' : 'application/json',
        content: await write(actor, { persona, format }, { card, picture }),
      };
    },
  };
}

/** Guests are one group: together they leave a child to others. */
const groupOf = ({ userId, isGuest }: Reader): string => (isGuest ? 'guests' : userId);

function orTooLarge(error: unknown): never {
  throw error instanceof UnreadableFileError ? cardTooLarge(error) : error;
}
