import { isDeepStrictEqual } from 'node:util';
import { PersonaFields } from '../../../contract/personas.ts';
import { CardData } from './card.ts';
import { type Options, standardOf } from './standard.ts';
import { EXTENSION, writeCard } from './write-card.ts';

/**
 * A persona from a card. `creator_notes` are for human readers and are not used; keys that are regular expressions are not evaluated; URLs
 * of pictures and other resources are not fetched.
 */
export function fromCard(data: CardData, options: Options): PersonaFields {
  const standard = standardOf(data, options);
  const own = PersonaFields.safeParse(data.extensions[EXTENSION]);
  if (!own.success || !isCurrent(own.data, data)) return PersonaFields.parse(standard);
  const { instructions } = standard;
  // Rules are instructions too.
  return { ...own.data, instructions, ...(!options.acceptsInstructions && { do: [], dont: [] }) };
}

/** Whether the card's standard fields still match the extension of this product: another application may have changed them. */
function isCurrent(own: PersonaFields, data: CardData): boolean {
  const written = CardData.safeParse(writeCard(own, 'v3', null).data);
  if (!written.success) return false;
  const ours = standardOf(written.data, { acceptsInstructions: true });
  return [true, false].some((acceptsInstructions) =>
    isDeepStrictEqual(standardOf(data, { acceptsInstructions }), ours),
  );
}
