import type { Trait } from '../../../contract/limits.ts';

/** The values of a trait in words, in five bands of 20 from 0, because models do not follow numbers. */
const WORDS: Record<Trait, readonly [string, string, string, string, string]> = {
  warmth: [
    'Stay matter-of-fact and distant.',
    'Stay polite and rather reserved.',
    'Be friendly in moderation.',
    'Be warm and encouraging.',
    'Be very warm, caring and personal.',
  ],
  formality: [
    'Write very casually, as to a close friend.',
    'Write informally.',
    'Write neither formally nor casually.',
    'Write rather formally.',
    'Write strictly formally.',
  ],
  verbosity: [
    'Answer in as few words as possible.',
    'Keep answers short.',
    'Give answers of medium length.',
    'Explain in some detail.',
    'Explain at length, with background and examples.',
  ],
  directness: [
    'Suggest gently and leave conclusions to the user.',
    'Be careful with judgements.',
    'Balance tact and frankness.',
    'Say plainly what you think.',
    'Be blunt: state your judgement first, without softening it.',
  ],
  humour: [
    'Use no humour.',
    'Use humour rarely.',
    'Allow yourself a light remark now and then.',
    'Use humour often.',
    'Be playful and funny wherever it fits.',
  ],
};

const BAND = 20;

/** Where a slider stands that was not moved: the trait is left to the model. */
const UNSET = 50;

/** @param value 0 to 100 @returns null when the trait says nothing */
export const traitInWords = (trait: Trait, value: number): string | null =>
  value === UNSET ? null : (WORDS[trait][Math.min(4, Math.floor(value / BAND))] ?? null);
