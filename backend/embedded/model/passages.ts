import type { Language } from './language.ts';
import { PHRASES } from './phrases.ts';

/** A passage of a file in the prompt. */
export interface Passage {
  id: string;
  fileName: string;
  page: string;
  text: string;
}

/** The files of a conversation in the prompt. */
export interface PromptFiles {
  passages: Passage[];
  /** Files without text in the prompt, each with a sentence about it. */
  remarks: { fileName: string; text: string }[];
}

/** The delimiter that the prompt's instructions name. Files can only contain other ones. */
const DELIMITER = /^Each \w+ stands between a line "=== ([0-9a-f]{16}) \[id\]/m;

/** The delimited sections of a text, each below its label, and what stands before them. */
export function sectionsIn(text: string, instructions: string) {
  const token = DELIMITER.exec(instructions)?.[1];
  const [before = '', ...rest] = token ? text.split(`\n=== ${token} `) : [text];
  const sections = rest.map((section) => {
    const end = section.indexOf('\n');
    return { label: section.slice(0, end), text: section.slice(end + 1) };
  });
  return { before, sections };
}

const LABEL = /^\[(p\d+)\] "([^"]*)", page (\d+)/;
const REMARK = /^- "([^"]*)": (.+)$/gm;
const HAS_FILES =
  /conversation’s files|This conversation has files|files that belong to this conversation|all over the files/;

/** The files in a system message; null when it has none. */
export function filesIn(system: string): PromptFiles | null {
  const { before, sections } = sectionsIn(system, system);
  if (!HAS_FILES.test(before)) return null;
  const passages = sections.flatMap(({ label, text }) => {
    const [, id = '', fileName = '', page = ''] = LABEL.exec(label) ?? [];
    return id === '' ? [] : [{ id, fileName, page, text }];
  });
  const remarks = Array.from(before.matchAll(REMARK), ([, fileName = '', text = '']) => ({
    fileName,
    text,
  }));
  return { passages, remarks };
}

/** Words without a topic. */
const COMMON = new Set(
  (
    'a about all also an and any are as at be been but by can could did do does for from had has have he her his how i if in into is it its ' +
    'me my no not of on or our please she should so some tell than that the their them then there these they this those to us was we were ' +
    'what when where which who whom whose why will with would you your file files page document say says said many much long ' +
    'der die das ein eine und oder ist sind was wie wer wo wann in im auf mit von zu fasse zusammen den dem des mir bitte'
  ).split(' '),
);

const words = new Intl.Segmenter('und', { granularity: 'word' });
const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });

/** The topic words of a text. */
export const wordsOf = (text: string): Set<string> =>
  new Set(
    Array.from(words.segment(text.normalize('NFKC').toLowerCase()))
      .filter(({ isWordLike, segment }) => isWordLike && !COMMON.has(segment))
      .map(({ segment }) => (segment.length > 3 ? segment.replace(/(?:e?s|ed)$/, '') : segment)),
  );

const MAX_QUOTE_LENGTH = 300;

/** The sentences of a text, each on one line; lines when it has no sentences. */
export function sentencesOf(text: string): string[] {
  const joined = text.replace(/(?<!\n)\n(?!\n)/g, ' ');
  return Array.from(sentences.segment(joined)).flatMap(({ segment, index }) => {
    const lines =
      segment.length <= MAX_QUOTE_LENGTH
        ? [segment]
        : text.slice(index, index + segment.length).split('\n');
    return lines.map((line) => line.trim().replace(/\s+/g, ' ')).filter(Boolean);
  });
}

interface Found {
  passage: Passage;
  sentence: string;
  /** Share of the question's weight. */
  share: number;
}

/** Below this share of a question, a sentence does not answer it. */
const MIN_SHARE = 0.3;
/** A second file also answers when its best sentence reaches this share of the best one's. */
const NEARLY = 0.6;

/** A heading only names the text below it. */
const HEADING = /^#{1,6}\s/;

/** The sentence of each file with most of the question's words, best first. Rare words count more. */
function bestSentences(asked: Set<string>, passages: Passage[]): Found[] {
  const all = passages.flatMap((passage) =>
    sentencesOf(passage.text)
      .filter((sentence) => !HEADING.test(sentence))
      .map((sentence) => ({
        passage,
        sentence,
        words: wordsOf(sentence),
      })),
  );
  const weights = new Map<string, number>();
  for (const word of asked) {
    const having = all.filter((entry) => entry.words.has(word)).length;
    weights.set(word, Math.log(1 + (all.length + 1) / (having + 0.5)));
  }
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const best = new Map<string, Found>();
  for (const { passage, sentence, words: said } of all) {
    let share = 0;
    for (const [word, weight] of weights) if (said.has(word)) share += weight / total;
    const former = best.get(passage.fileName);
    if (share >= MIN_SHARE && share > (former?.share ?? 0))
      best.set(passage.fileName, { passage, sentence, share });
  }
  return [...best.values()].toSorted((a, b) => b.share - a.share);
}

/** Escapes Markdown in a name. */
const plain = (name: string): string => name.replace(/[\\`*_{}[\]<>()#+!|&~]/g, '\\$&');

const cited = ({ passage: { id, fileName, page }, sentence }: Found, language: Language): string =>
  `${PHRASES[language].file.says(plain(fileName), page)} ${quoted(sentence)} [${id}]`;

function quoted(sentence: string): string {
  const cut =
    sentence.length <= MAX_QUOTE_LENGTH
      ? sentence
      : sentence.slice(0, MAX_QUOTE_LENGTH).replace(/(?<!\s)\s+\S*$/, '');
  return `“${cut.replace(/[“”„«»]/g, '"')}”`;
}

const VALUE = /\d+(?=\D*$)|\d+/;

/**
 * Three statements about the files, to demonstrate the check of replies: the first sentence with a number, the same with another number,
 * and one without a source.
 */
export function statementsAbout({ passages }: PromptFiles): string {
  const all = passages.flatMap(({ text }) => sentencesOf(text));
  const sentence = all.find((one) => VALUE.test(one) && wordsOf(one).size >= 3) ?? all[0];
  if (sentence === undefined) return 'The files of this conversation have no text.';
  const stated = sentence.replace(/(?<![.!?])$/, '.');
  const other = stated.replace(VALUE, (number) => String(Number(number) + 7));
  return [stated, other, 'The harbour master keeps seventeen lanterns in the tower.']
    .map((statement) => `- ${plain(statement)}`)
    .join('\n');
}

const IS_GENERAL =
  /summar|overview|\bgist\b|what (?:is|are) (?:it|this|these|they|in)|about|fasse|zusammenfass|worum geht/i;

/**
 * The answer of the files to a question: a quotation from one file, or from two when both answer. Text of files is only quoted, so no
 * instruction in it changes the answer.
 * @returns null when the question has no topic
 */
export function answerFrom(
  { passages, remarks }: PromptFiles,
  { question, language }: { question: string; language: Language },
): string | null {
  const says = PHRASES[language].file;
  const asked = wordsOf(question);
  const found = bestSentences(asked, passages);
  const least = (found[0]?.share ?? 0) * NEARLY;
  const used = found.filter(({ share }) => share >= least).slice(0, 2);
  if (used.length > 0) return used.map((one) => cited(one, language)).join('\n\n');
  const [first] = passages;
  const [sentence] = first ? sentencesOf(first.text) : [];
  if (first && sentence && (IS_GENERAL.test(question) || asked.size === 0))
    return `${says.begins} ${cited({ passage: first, sentence, share: 1 }, language)}`;
  if (asked.size === 0 && remarks.length === 0) return null;
  const names = [...new Set(passages.map(({ fileName }) => plain(fileName)))];
  const looked = names.length > 0 ? says.looked(names.join(', ')) : says.lookedAnywhere;
  const missing = remarks.map(({ fileName, text }) => `\n- ${plain(fileName)}: ${text}`);
  return `${says.missing} ${looked}${missing.length > 0 ? `\n${missing.join('')}` : ''}`;
}
