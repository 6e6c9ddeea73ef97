import { isSameTable, type ReadPage } from '../../../reading/index.ts';
import { type Language, languagesOf } from '../../../text/ranking/stop-words.ts';
import { wordsOf } from '../../../text/ranking/terms.ts';
import { indexPassages, type TextIndex } from '../../../text/ranking/text-index.ts';
import type { FileRecord } from '../library/file-record.ts';
import { cutPassages, headOf, sizesFor } from './passages.ts';
import { estimateTokens } from './token-estimate.ts';

/** The index of one file for a search. */
export interface FileIndex extends TextIndex {
  /** Detected from the beginning of the text. */
  languages: readonly Language[];
  /** Estimated tokens of the text, without overlaps of passages. */
  tokens: number;
  /** Estimated tokens of each passage in a prompt, with its label. */
  costs: readonly number[];
}

/** A file with text. */
export interface IndexedFile {
  file: FileRecord;
  index: FileIndex;
}

/** The lines around a passage, and a margin for the estimate. */
export const LABEL_TOKENS = 60;
/** The other places with the same text that a label names at most, and the tokens of each. */
export const MAX_PLACES = 5;
export const PLACE_TOKENS = 30;

const LANGUAGE_SAMPLE = 5_000;

export async function indexFile(pages: readonly ReadPage[]): Promise<FileIndex> {
  const estimates: Estimates = { tokens: 0, costs: [] };
  const index = await indexPassages(passagesOf(pages, estimates));
  const languages = languagesOf([...wordsOf(beginningOf(pages))].map(({ word }) => word));
  return { ...index, languages, ...estimates };
}

type Estimates = Pick<FileIndex, 'tokens'> & { costs: number[] };

/** The passages of a file; adds their tokens, and those of the whole text, to `estimates`. */
function* passagesOf(pages: readonly ReadPage[], estimates: Estimates) {
  let first: ReadPage | undefined;
  for (const page of pages) {
    if (!first || !isSameTable(first, page)) first = page;
    estimates.tokens += estimateTokens(page.text);
    const head = pages.length > 1 || page.rowsStart !== undefined ? headOf(page, first) : undefined;
    const headTokens = estimateTokens(head?.text ?? '');
    for (const passage of cutPassages([page], sizesFor(page, pages.length))) {
      const { start, end } = passage;
      const placed = page.label === undefined ? passage : { ...passage, label: page.label };
      const text = page.text.slice(start, end);
      const isBelow = head !== undefined && start >= head.end;
      estimates.costs.push(estimateTokens(text) + LABEL_TOKENS + (isBelow ? headTokens : 0));
      yield { passage: placed, text, ...(isBelow && { head: head.text }) };
    }
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
