import { sectionsIn, sentencesOf, wordsOf } from '../passages.ts';
import type { StructuredPrompt } from './prompt.ts';

const CLAIM = /^\[(c\d+)\] (.+)$/gm;
const LABEL = /^\[(p\d+)\]/;
const NEGATION = /\b(?:not|never|no|none|without|nicht|kein\w*|nie|ohne)\b|n[’']t\b/i;

interface Source {
  passageId: string;
  sentence: string;
  words: Set<string>;
}

/** Below this share of its words, no sentence says what a claim says. */
const MIN_SHARE = 0.6;

const numbersOf = (text: string): string[] =>
  (text.match(/\d+(?:[.,]\d+)*/g) ?? []).map((number) => number.replace(/[.,]/g, '')).toSorted();

function compare(claim: string, sources: readonly Source[]) {
  const isNumber = (word: string) => /^\d/.test(word);
  const wanted = [...wordsOf(quotedOrAll(claim))].filter((word) => !isNumber(word));
  let best: Source | undefined;
  let most = 0;
  for (const source of sources) {
    const shared = wanted.filter((word) => source.words.has(word)).length;
    if (shared <= most) continue;
    most = shared;
    best = source;
  }
  if (!best || most < wanted.length * MIN_SHARE) return null;
  const said = quotedOrAll(claim);
  const claimed = numbersOf(said);
  const found = numbersOf(best.sentence);
  const differs =
    claimed.some((number) => !found.includes(number)) ||
    NEGATION.test(said) !== NEGATION.test(best.sentence);
  return { relation: differs ? 'contradicts' : 'supports', source: best };
}

/** In 'a.pdf says on page 3: “…”' only the quotation counts. */
const quotedOrAll = (claim: string): string => /“([^”]{12,})/.exec(claim)?.[1] ?? claim;

/**
 * The product's call 'claim_verdicts': a claim is compared with the sentence that has most of its words. The same numbers support it,
 * others contradict it. Statements of a passage about claims have no effect.
 */
export function claimVerdicts({ system, user }: StructuredPrompt) {
  const { before: claims, sections } = sectionsIn(user, system);
  const sources = sections.flatMap(({ label, text }): Source[] => {
    const passageId = LABEL.exec(label)?.[1];
    if (passageId === undefined) return [];
    return sentencesOf(text).map((sentence) => ({
      passageId,
      sentence,
      words: wordsOf(sentence),
    }));
  });
  return {
    verdicts: Array.from(claims.matchAll(CLAIM), ([, claimId = '', text = '']) => {
      const found = compare(text, sources);
      if (!found) return { claimId, relation: 'insufficient', evidence: [] };
      const { passageId, sentence } = found.source;
      return { claimId, relation: found.relation, evidence: [{ passageId, quote: sentence }] };
    }),
  };
}
