import { readQuestion } from './question.ts';
import { rank } from './rank.ts';
import { indexPassages } from './text-index.ts';

/**
 * Ranks short texts by a message with BM25, like passages of files.
 * @returns the positions of texts that share a word with it, best first
 */
export async function rankTexts(message: string, texts: readonly string[]): Promise<number[]> {
  if (texts.length === 0) return [];
  const { query } = readQuestion({ message, previous: '', hasFiles: false });
  if (query.terms.length === 0) return [];
  const whole = texts.map((text, n) => ({
    passage: { page: n + 1, start: 0, end: text.length },
    text,
  }));
  const { passages } = await rank([await indexPassages(whole)], { ...query, pages: [] });
  return passages.map(({ passage }) => passage);
}
