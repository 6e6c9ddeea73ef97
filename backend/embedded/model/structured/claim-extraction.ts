import type { StructuredPrompt } from './prompt.ts';

const SENTENCE = /^\[(\d+)\] (.+)$/gm;
/** Sentences of the demo model about itself have no source. */
const OWN = /^(?:Demo model\b|To connect a real one\b|I am the demo model\b)/i;
const OPINION =
  /\b(?:I (?:think|hope|believe|recommend|suggest)|in my opinion|beautiful|best|worst|please|let me know|you should|ich (?:denke|glaube|empfehle)|schön|bitte)\b/i;

/** The product's call 'claim_extraction': each sentence is one claim. */
export const claimExtraction = ({ user }: StructuredPrompt) => ({
  claims: Array.from(user.matchAll(SENTENCE), ([, number = '', text = '']) => ({
    number: Number(number),
    text,
  }))
    .filter(({ text }) => !OWN.test(text))
    .slice(0, 24)
    .map(({ number, text }) => ({
      id: `c${number}`,
      sentence: number,
      text,
      checkable: !OPINION.test(text),
      reason: OPINION.test(text) ? 'an opinion' : '',
    })),
});
