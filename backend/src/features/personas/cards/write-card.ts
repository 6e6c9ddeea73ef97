import { isDeepStrictEqual } from 'node:util';
import type { PersonaFields } from '../../../contract/personas.ts';
import type { Fusion } from '../model.ts';
import { CardData, type RawCard } from './card.ts';
import { plainPng, pngWith } from './png.ts';
import { standardOf } from './standard.ts';

/** The extension of a card for data that its format cannot hold. */
export const EXTENSION = 'stolas/persona';

/** The extension of a card for the members of a fusion. */
const FUSION_EXTENSION = 'stolas/fusion';

/** A persona and, for a fusion, its members. */
export interface Exported extends PersonaFields {
  fusion?: Fusion | undefined;
}

export type CardVersion = 'v2' | 'v3';

/** An imported card, and whether its instructions were accepted. */
export interface KeptCard {
  card: RawCard;
  acceptsInstructions: boolean;
}

/** Fields that V2 lacks. */
const ONLY_V3 = [
  'assets',
  'nickname',
  'creator_notes_multilingual',
  'source',
  'group_only_greetings',
  'creation_date',
  'modification_date',
];

/** The fields that each version requires. */
const EMPTY = {
  name: '',
  description: '',
  personality: '',
  scenario: '',
  first_mes: '',
  mes_example: '',
  creator_notes: '',
  system_prompt: '',
  post_history_instructions: '',
  alternate_greetings: [],
  tags: [],
  creator: '',
  character_version: '',
  extensions: {},
};

/**
 * A persona as a character card. An imported card keeps everything that the user has not changed, including fields that this product does
 * not use. Data without a standard field is in `extensions["stolas/persona"]`.
 */
export function writeCard(
  { fusion, ...persona }: Exported,
  version: CardVersion,
  kept: KeptCard | null,
) {
  const original = kept ? structuredClone(kept.card.data) : {};
  const data: Record<string, unknown> = { ...EMPTY, ...original, ...changesOf(persona, kept) };
  if (version === 'v3') data.group_only_greetings ??= [];
  else for (const field of ONLY_V3) delete data[field];
  const extensions = isRecord(data.extensions) ? data.extensions : {};
  data.extensions = {
    ...extensions,
    [EXTENSION]: persona,
    ...(fusion && { [FUSION_EXTENSION]: fusion }),
  };
  return version === 'v3'
    ? { spec: 'chara_card_v3', spec_version: '3.0', data }
    : { spec: 'chara_card_v2', spec_version: '2.0', data };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of the card that differ from the imported ones. */
function changesOf(persona: PersonaFields, kept: KeptCard | null): Record<string, unknown> {
  const parsed = CardData.safeParse(kept?.card.data);
  const before = kept && parsed.success ? standardOf(parsed.data, kept) : null;
  const isChanged = (field: keyof NonNullable<typeof before>) =>
    !before || !isDeepStrictEqual(before[field], withTexts(persona)[field]);
  return {
    ...(isChanged('name') && { name: persona.name }),
    ...(isChanged('description') && { description: persona.description }),
    ...(isChanged('greeting') && { first_mes: persona.greeting }),
    ...(isChanged('examples') && { mes_example: examplesOf(persona) }),
    ...(isChanged('instructions') && {
      personality: '',
      scenario: '',
      system_prompt: persona.instructions,
      post_history_instructions: '',
    }),
    ...(isChanged('knowledge') && bookOf(persona)),
  };
}

/** A card has no file knowledge. */
const withTexts = (persona: PersonaFields) => ({
  ...persona,
  knowledge: persona.knowledge.filter(({ text }) => text !== undefined),
});

const examplesOf = ({ examples }: PersonaFields): string =>
  examples
    .map(({ user, assistant }) => `<START>\n{{user}}: ${user}\n{{char}}: ${assistant}`)
    .join('\n');

function bookOf(persona: PersonaFields): Record<string, unknown> {
  const { knowledge } = withTexts(persona);
  if (knowledge.length === 0) return { character_book: undefined };
  const entries = knowledge.map(({ keys, text }, at) => ({
    keys,
    content: text,
    extensions: {},
    enabled: true,
    insertion_order: at,
    use_regex: false,
  }));
  return { character_book: { extensions: {}, entries } };
}

/** The picture of a card without one, in the near-black blue of the interface. */
export const BLANK = plainPng([18, 24, 38]);

/** Longer JSON, in UTF-16 code units, is not indented: indentation could multiply the length of deep cards. */
const MAX_INDENTED = 256 * 1024;

export interface CardFileParts {
  persona: Exported;
  format: CardVersion | 'png';
  kept: KeptCard | null;
  picture: Buffer | null;
}

/** The file of a persona's card. */
export function cardFile({ persona, format, kept, picture }: CardFileParts): Buffer {
  if (format === 'png') return writeCardPng(persona, { kept, picture });
  const card = writeCard(persona, format, kept);
  const json = JSON.stringify(card);
  return Buffer.from(json.length > MAX_INDENTED ? json : JSON.stringify(card, null, 2));
}

/** A PNG with the card, for readers of either version. */
function writeCardPng(
  persona: Exported,
  { kept, picture }: { kept: KeptCard | null; picture: Buffer | null },
): Buffer {
  const encoded = (version: CardVersion) =>
    Buffer.from(JSON.stringify(writeCard(persona, version, kept))).toString('base64');
  return pngWith(picture ?? BLANK, [
    { keyword: 'chara', text: encoded('v2') },
    { keyword: 'ccv3', text: encoded('v3') },
  ]);
}
