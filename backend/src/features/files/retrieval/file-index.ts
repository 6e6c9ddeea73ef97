import type { ReadPage } from '../../../reading/index.ts';
import { type Language, languagesOf } from '../../../text/ranking/stop-words.ts';
import { wordsOf } from '../../../text/ranking/terms.ts';
import { indexPassages, type TextIndex } from '../../../text/ranking/text-index.ts';
import { cutPassages } from './passages.ts';
import { estimateTokens } from './token-estimate.ts';

/** The index of one file for a search. */
export interface FileIndex extends TextIndex {
  /** Detected from the beginning of the text. */
  languages: readonly Language[];
  /** Estimated tokens of the text, without overlaps of passages. */
  tokens: number;
}

const LANGUAGE_SAMPLE = 5_000;

export async function indexFile(pages: readonly ReadPage[]): Promise<FileIndex> {
  const index = await indexPassages(passagesOf(pages));
  const languages = languagesOf([...wordsOf(beginningOf(pages))].map(({ word }) => word));
  const tokens = pages.reduce((sum, { text }) => sum + estimateTokens(text), 0);
  return { ...index, languages, tokens };
}

function* passagesOf(pages: readonly ReadPage[]) {
  const byNumber = new Map(pages.map((page) => [page.n, page]));
  for (const passage of cutPassages(pages)) {
    const { text = '', label } = byNumber.get(passage.page) ?? {};
    yield {
      passage: label === undefined ? passage : { ...passage, label },
      text: text.slice(passage.start, passage.end),
    };
  }
}

function beginningOf(pages: readonly ReadPage[]): string {
  let sample = '';
  for (const { text } of pages) {
    sample += `${text.slice(0, LANGUAGE_SAMPLE)}\n`;
    if (sample.length >= LANGUAGE_SAMPLE) break;
  }
  return sample;
}
