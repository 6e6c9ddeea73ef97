import type { CardPreview, PersonaFields } from '../../../contract/personas.ts';
import type { CardFileParts } from './write-card.ts';

// The files by which a web process and the child of the file reader exchange a card.

export const FILES = { card: 'card', request: 'request.json', picture: 'picture.png' } as const;

/** The child's result for a card. It is short for any card. */
export type CardDigest = Omit<CardPreview, 'persona'> & {
  /** The persona without the card's instructions, and with them. */
  persona: PersonaFields;
  instructed: PersonaFields;
  hasPicture: boolean;
};

/** A card for the child to write. */
export type WriteRequest = Pick<CardFileParts, 'persona' | 'format'> & { hasPicture: boolean };
