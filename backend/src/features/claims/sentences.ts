import { segmentsOf } from '../../text/segments.ts';

/** A sentence of a reply that may state something. */
export interface Sentence {
  /** UTF-16 code units in the reply; `end` is exclusive. */
  start: number;
  end: number;
  /** The sentence without the marks of Markdown and links, on one line. */
  text: string;
}

/** A part of the text with whole sentences, such as a paragraph or the cell of a table. */
interface Block {
  start: number;
  end: number;
}

const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})/;
const HEADING = /^[ \t>]*#{1,6}(?:\s|$)/;
/** The underline of a heading, a rule, or the line below a table's head. */
const RULE = /^[ \t>]*(?![ \t>])(?:=+|(?:[-*_][ \t]*){2,}|(?=.*---)[ \t:|-]+)$/;
const UNDERLINE = /^[ \t>]*(?:=+|-+)[ \t]*$/;
const ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/;
const QUOTE = /^[ \t>]+/;
const ROW = /^[ \t>]*\|/;
const INDENTED_CODE = /^(?: {4}|\t)/;

/** The blocks of a Markdown text in their order, without code and headings. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | null = null;
  let fence = '';
  let isInList = false;
  let at = 0;
  const close = () => {
    if (open) blocks.push(open);
    open = null;
  };
  for (const line of text.split('\n')) {
    const start = at;
    at += line.length + 1;
    const signs = FENCE.exec(line)?.[1] ?? '';
    if (fence !== '') {
      if (signs.startsWith(fence) && line.trim().replace(/^>+\s*/, '') === signs) fence = '';
      continue;
    }
    if (signs !== '') {
      close();
      fence = signs;
      continue;
    }
    if (line.trim() === '') {
      close();
      continue;
    }
    // A paragraph followed by a line of signs is a heading.
    if (open && UNDERLINE.test(line)) {
      open = null;
      continue;
    }
    const item = ITEM.exec(line)?.[0];
    if (!open && item === undefined && !isInList && INDENTED_CODE.test(line)) continue;
    if (HEADING.test(line) || RULE.test(line)) {
      close();
      isInList = false;
      continue;
    }
    if (ROW.test(line)) {
      close();
      blocks.push(...cellsOf(line, start));
      continue;
    }
    if (item !== undefined) {
      close();
      isInList = true;
      open = { start: start + item.length, end: start + line.length };
      continue;
    }
    if (!/^\s/.test(line)) isInList = isInList && open !== null;
    const indent = QUOTE.exec(line)?.[0].length ?? 0;
    if (open) open = { start: open.start, end: start + line.length };
    else open = { start: start + indent, end: start + line.length };
  }
  close();
  return blocks;
}

function cellsOf(line: string, start: number): Block[] {
  return Array.from(line.matchAll(/(?:\\\||[^|])+/g), ({ 0: cell, index }) => ({
    start: start + index,
    end: start + index + cell.length,
  }));
}

/** Syntax without text: each match is replaced by as many spaces, so that places stay the same. */
const HIDDEN: readonly RegExp[] = [
  // Whole citations, whose text is only a number.
  /\[\d{1,4}\]\(#source=[^()\s[\]]*\)/g,
  /!\[[^[\]\n]*\]\([^()\n]*\)/g,
  /(?<=\])\([^()\s]*(?:[ \t]+"[^"\n]*")?\)/g,
  /(?<=\n)[ \t]*>+/g,
  /`+/g,
  /\*\*|__|~~/g,
  /(?<![\p{L}\p{N}*_])[*_](?=\S)|(?<=\S)[*_](?![\p{L}\p{N}*_])/gu,
  /\[(?=[^[\]\n]*\] )|\](?= )(?<=\[[^[\]\n]*\])/g,
  /\n/g,
];

const blank = (match: string) => ' '.repeat(match.length);
const withoutMarks = (text: string): string =>
  HIDDEN.reduce((masked, mark) => masked.replace(mark, blank), text);

const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });
/** Abbreviations with a full stop, which do not end a sentence. */
const ABBREVIATION =
  /(?:^|[\s(])(?:\p{Lu}|[ap]\.m|approx|art|bzw|ca|cf|dr|e\.g|etc|fig|i\.e|inc|ltd|mr|mrs|ms|no|nr|p|pp|prof|sec|st|str|usw|vol|vs|z\.B|d\.h|u\.a)\.\s*$|\d\.\s*$/iu;
/** Long enough for an abbreviation and the characters around it. */
const endOf = (text: string, { start, end }: Block): string =>
  text
    .slice(Math.max(start, end - 64), end)
    .trimEnd()
    .slice(-12);
/** A sentence that abbreviations join is cut there, so that each one is read in a bounded time. */
const MAX_SENTENCE_LENGTH = 4_000;
/** Shorter sentences contain no comparable statement. */
const MIN_WORDS = 2;

/** Scripts without spaces are counted by characters. */
const WORD = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{N}]+/gu;
const wordsIn = (text: string): number => text.match(WORD)?.length ?? 0;
const isQuestion = (text: string): boolean => /[?？؟]["'”’»)*_\s]*$/u.test(text);

const onOneLine = (text: string): string =>
  text.replace(/\s+/g, ' ').replace(/ (?=[.,;:!)](?:\s|$))/g, '');

/** The sentences of a block, with places in `text`. */
function sentencesIn(text: string, { start, end }: Block): Sentence[] {
  const masked = withoutMarks(text.slice(start, end));
  if (wordsIn(masked) < MIN_WORDS) return [];
  const spans: Block[] = [];
  for (const { segment, index } of segmentsOf(segmenter, masked)) {
    const last = spans.at(-1);
    const end = index + segment.length;
    const isShort = last && end - last.start <= MAX_SENTENCE_LENGTH;
    // Punctuation alone, such as a closing quotation mark, belongs to the sentence before it.
    if (isShort && (ABBREVIATION.test(endOf(masked, last)) || wordsIn(segment) === 0))
      last.end = end;
    else spans.push({ start: index, end });
  }
  return spans.flatMap((span) => {
    const sentence = masked.slice(span.start, span.end);
    const shown = sentence.trim();
    if (wordsIn(shown) < MIN_WORDS || isQuestion(shown)) return [];
    const from = start + span.start + sentence.indexOf(shown);
    return [{ start: from, end: from + shown.length, text: onOneLine(shown) }];
  });
}

/**
 * The sentences of a Markdown text that may state something, with their places. Code blocks, headings and questions are left out; each list
 * item and table cell is a sentence.
 */
export const sentencesOf = (text: string): Sentence[] =>
  blocksOf(text).flatMap((block) => sentencesIn(text, block));
