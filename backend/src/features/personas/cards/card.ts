import * as z from 'zod';

// Character Card V2 (spec_v2.md by malfoyslastname) and V3 (SPEC_V3.md by kwaroran). Readers are tolerant: a card of another
// application may lack fields. Fields that are not listed here are kept unchanged.

const text = z.string().catch('');
const texts = z.array(z.string()).catch([]);

const BookEntry = z.looseObject({
  keys: texts,
  content: text,
  enabled: z.boolean().catch(true),
  use_regex: z.boolean().catch(false),
});

export const CardData = z.looseObject({
  // Half a surrogate pair is not text.
  name: z
    .string()
    .trim()
    .regex(/[^\uD800-\uDBFF]/),
  nickname: z.string().optional().catch(undefined),
  description: text,
  personality: text,
  scenario: text,
  first_mes: text,
  mes_example: text,
  creator_notes: text,
  system_prompt: text,
  post_history_instructions: text,
  creator: text,
  character_book: z
    .looseObject({ entries: z.array(BookEntry).catch([]) })
    .optional()
    .catch(undefined),
  extensions: z.record(z.string(), z.unknown()).catch({}),
});
export type CardData = z.output<typeof CardData>;

/** A card as JSON: `data` is the unchanged object of the file. */
export interface RawCard {
  spec: 'v1' | 'v2' | 'v3';
  data: Record<string, unknown>;
}

const Versioned = z.looseObject({
  spec: z.enum(['chara_card_v2', 'chara_card_v3']),
  data: z.record(z.string(), z.unknown()),
});
/** The first version has its fields at the top level and no format name. */
const First = z.looseObject({ name: z.string(), first_mes: z.string() });

/** @returns null when the value is not a character card */
export function asCard(value: unknown): RawCard | null {
  const versioned = Versioned.safeParse(value);
  if (versioned.success) {
    const { spec, data } = versioned.data;
    return { spec: spec === 'chara_card_v3' ? 'v3' : 'v2', data };
  }
  const first = First.safeParse(value);
  return first.success ? { spec: 'v1', data: first.data } : null;
}
