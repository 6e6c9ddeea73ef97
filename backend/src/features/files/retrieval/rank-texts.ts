import { indexTexts } from './file-index.ts';
import { readQuestion } from './query.ts';
import { rank } from './ranking.ts';

/**
 * Ranks short texts by a message, by BM25, as passages of files are ranked.
 * @returns the positions of those that share a word with it, the best first
 */
export async function rankTexts(message: string, texts: readonly string[]): Promise<number[]> {
  if (texts.length === 0) return [];
  const { query } = readQuestion({ message, previous: '', hasFiles: false });
  if (query.terms.length === 0) return [];
  const { passages } = rank([await indexTexts(texts)], { ...query, pages: [] });
  return passages.map(({ passage }) => passage);
}
