// Runs in the child of the file reader: cards are untrusted, and one of 10 MB would block the web process for seconds.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { MAX_CARD_BYTES, PERSONA_LENGTHS } from '../../../contract/limits.ts';
import type { PersonaFields } from '../../../contract/personas.ts';
import { invalidField } from '../../../errors.ts';
import { answerOf } from '../../child-exchange.ts';
import { ruleText } from '../compile/compile.ts';
import { CardData } from './card.ts';
import { type CardDigest, FILES, type WriteRequest } from './exchange.ts';
import { fromCard } from './from-card.ts';
import { BadPngError, isPng, pngWith } from './png.ts';
import { cardTooLarge, readCard as parseCard } from './read-card.ts';
import { instructionsIn, join } from './standard.ts';
import { BLANK, cardFile, type KeptCard } from './write-card.ts';

/** Maximum length of creator and notes in UTF-16 code units. They are shown before an import and stored only within the card. */
const MAX_CREATOR = 200;
const MAX_NOTES = 8_000;

/** The answer's head is a `CardDigest`; its line is the card in its stored form. */
export const readCard = (folder: string): Promise<Buffer> =>
  answerOf(async () => {
    const { digest, json } = digestOf(await readFile(path.join(folder, FILES.card)));
    return { head: digest, lines: [json] };
  });

function digestOf(bytes: Buffer): { digest: CardDigest; json: string } {
  const card = parseCard(bytes);
  const parsed = CardData.safeParse(card.data);
  if (!parsed.success) throw invalidField('file', 'This card has no name.');
  const { data } = parsed;
  // Numbers may be longer than in the file.
  const json = JSON.stringify(card);
  if (Buffer.byteLength(json) > MAX_CARD_BYTES) throw cardTooLarge();
  const instructed = fromCard(data, { acceptsInstructions: true });
  const instructions = instructionsIn(data).slice(0, PERSONA_LENGTHS.instructions);
  const digest = {
    format: card.spec,
    persona: fromCard(data, { acceptsInstructions: false }),
    instructed,
    instructions: join([instructions, rulesOf(instructed)]),
    creator: data.creator.slice(0, MAX_CREATOR),
    creatorNotes: data.creator_notes.slice(0, MAX_NOTES),
    hasPicture: isPng(bytes) && !isBlank(bytes),
  };
  return { digest, json };
}

const rulesOf = ({ do: always, dont }: PersonaFields): string =>
  [
    ...always.map((rule) => `Always: ${ruleText(rule)}`),
    ...dont.map((rule) => `Never: ${ruleText(rule)}`),
  ].join('\n');

/** Whether its picture is the default one of exports. */
function isBlank(card: Buffer): boolean {
  try {
    return pngWith(card, []).equals(BLANK);
  } catch (error) {
    if (error instanceof BadPngError) return false;
    throw error;
  }
}

/** The exported file of a persona. */
export async function writeCard(folder: string): Promise<Buffer> {
  const { hasPicture, ...request } = JSON.parse(
    await readFile(path.join(folder, FILES.request), 'utf8'),
  ) as WriteRequest;
  const kept = JSON.parse(await readFile(path.join(folder, FILES.card), 'utf8')) as KeptCard;
  const picture = hasPicture ? await readFile(path.join(folder, FILES.picture)) : null;
  return cardFile({ ...request, kept, picture });
}
