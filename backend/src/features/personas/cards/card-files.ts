import path from 'node:path';
import type { Actor } from '../../../access/index.ts';
import {
  type CardExportQuery,
  type CardPreview,
  type Persona,
  PersonaFields,
} from '../../../contract/personas.ts';
import { notFound } from '../../../errors.ts';
import { UnreadableFileError } from '../../../reading/index.ts';
import { cleanFileName } from '../../../text/file-name.ts';
import { inFolder, readAnswer } from '../../child-exchange.ts';
import { createPersona } from '../edit.ts';
import type { PersonasFeature } from '../feature.ts';
import { getPersona, openText } from '../open.ts';
import { withOfferedModel } from '../references.ts';
import { type CardDigest, FILES, type WriteRequest } from './exchange.ts';
import { cardTooLarge } from './read-card.ts';
import type { Options } from './standard.ts';
import { type CardFileParts, cardFile, type KeptCard } from './write-card.ts';

// Import and export of personas as character cards. The child of the file reader handles long ones.

interface CardFile {
  name: string;
  type: string;
  content: Buffer;
}

type Reader = Pick<Actor, 'userId'> & Partial<Pick<Actor, 'isGuest'>>;

/** A child writes a persona whose stored card is longer, in bytes. */
const MAX_WRITTEN_HERE = 64 * 1024;

/**
 * The result of importing the file; nothing is stored.
 * @throws AppError invalid_field, too_large
 */
export const previewCard = (
  personas: PersonasFeature,
  actor: Reader,
  bytes: Buffer,
): Promise<CardPreview> =>
  inFolder({ [FILES.card]: bytes }, async (folder) => {
    const { digest } = await read(personas, actor, folder);
    const { instructed: _, hasPicture: __, ...shown } = digest;
    return { ...shown, persona: importable(personas, digest.persona) };
  });

/** Imports a card as a persona of the user. @throws AppError as `previewCard`, persona_limit */
export const importCard = (
  personas: PersonasFeature,
  actor: Actor,
  { bytes, acceptsInstructions }: Options & { bytes: Buffer },
): Promise<Persona> =>
  inFolder({ [FILES.card]: bytes }, async (folder) => {
    const { digest, json } = await read(personas, actor, folder);
    const fields = importable(personas, acceptsInstructions ? digest.instructed : digest.persona);
    const picture = (digest.hasPicture && (await pictureIn(personas, actor, folder))) || undefined;
    // `KeptCard` as JSON.
    const kept = Buffer.concat([
      Buffer.from('{"card":'),
      json,
      Buffer.from(`,"acceptsInstructions":${acceptsInstructions}}`),
    ]);
    return createPersona(personas, actor, { fields, card: { json: kept, picture } });
  });

/** The picture of a persona's card, a PNG. @throws AppError not_found, also when there is none */
export async function cardPicture(
  personas: PersonasFeature,
  actor: Pick<Actor, 'userId'>,
  id: string,
): Promise<Buffer> {
  const { ownerId } = await getPersona(personas, actor, id);
  const picture = ownerId && (await personas.cards.pictureOf({ id, ownerId }));
  if (!picture) throw notFound('persona');
  return picture;
}

/** @throws AppError not_found */
export async function exportCard(
  personas: PersonasFeature,
  actor: Reader,
  { id, format }: CardExportQuery & { id: string },
): Promise<CardFile> {
  const record = await openText(personas, actor, id);
  // Its members are the owner's.
  const fusion = record.ownerId === actor.userId ? record.fusion : undefined;
  const persona = { ...PersonaFields.parse(record), fusion };
  const isPng = format === 'png';
  const stored = record.ownerId && (await personas.cards.find({ id, ownerId: record.ownerId }));
  const card = stored ? stored.json : null;
  const picture = (isPng && stored && stored.picture) || null;
  return {
    name: cleanFileName(`${persona.name}.${isPng ? 'png' : 'json'}`),
    type: isPng ? 'image/png' : 'application/json',
    content: await write(personas, actor, { persona, format, card, picture }),
  };
}

/** Reads a card in a child; `json` is the card in its stored form. */
async function read(
  { reader }: PersonasFeature,
  actor: Reader,
  folder: string,
): Promise<{ digest: CardDigest; json: Buffer }> {
  const task = { task: 'readCard', path: folder, group: groupOf(actor) } as const;
  const { head, rest } = readAnswer(await reader.runTask(task).catch(orTooLarge));
  // Without the line break.
  return { digest: head as CardDigest, json: rest.subarray(0, -1) };
}

/** The card's picture, drawn again. Null when it cannot be read: the persona is imported without it. */
const pictureIn = (
  { reader }: PersonasFeature,
  actor: Reader,
  folder: string,
): Promise<Buffer | null> =>
  reader
    .imageForCard({ path: path.join(folder, FILES.card), name: 'card.png', group: groupOf(actor) })
    .catch((error: unknown) => {
      if (error instanceof UnreadableFileError) return null;
      throw error;
    });

/** The fields without files, which belong to another account, and without a model that this server does not offer. */
function importable(personas: PersonasFeature, persona: PersonaFields): PersonaFields {
  const knowledge = persona.knowledge.filter(({ fileId }) => fileId === undefined);
  return withOfferedModel(personas, { ...persona, knowledge });
}

interface Written extends Omit<CardFileParts, 'kept'> {
  /** In its stored form. */
  card: Buffer | null;
}

async function write(
  { reader }: PersonasFeature,
  actor: Reader,
  { card, picture, ...parts }: Written,
): Promise<Buffer> {
  if (card === null || card.length <= MAX_WRITTEN_HERE)
    return cardFile({
      ...parts,
      picture,
      kept: card === null ? null : (JSON.parse(card.toString()) as KeptCard),
    });
  const request: WriteRequest = { ...parts, hasPicture: picture !== null };
  const files = {
    [FILES.request]: JSON.stringify(request),
    [FILES.card]: card,
    ...(picture && { [FILES.picture]: picture }),
  };
  const group = groupOf(actor);
  return inFolder(files, (folder) =>
    reader.runTask({ task: 'writeCard', path: folder, group }),
  ).catch(orTooLarge);
}

/** All guests form one group, so that children stay free for registered users. */
const groupOf = ({ userId, isGuest }: Reader): string => (isGuest ? 'guests' : userId);

function orTooLarge(error: unknown): never {
  throw error instanceof UnreadableFileError ? cardTooLarge(error) : error;
}
