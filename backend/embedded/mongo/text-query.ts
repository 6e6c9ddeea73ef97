import { BSONRegExp, Double } from 'bson';
import type { Doc } from './bson.ts';
import { type Collection, type Index, textScores } from './collection.ts';
import { fail } from './errors.ts';
import { isOperators } from './match.ts';
import { STOP_WORDS } from './stop-words.ts';
import { prefixToken, type TextSpec, textsOf } from './text-index.ts';
import { field, isDoc, show } from './values.ts';

/** A parsed `$search`: any of the words or, with phrases, all phrases; and none of the excluded ones. */
interface Search {
  words: string[];
  /** Words within the phrases, which every result must contain. */
  wholeWords: string[];
  phrases: string[];
  withoutWords: string[];
  withoutPhrases: string[];
}

/** A `$text` of a filter against the index that answers it. */
export interface TextQuery {
  index: Index;
  /** For SQLite's full-text search; null when no document can match. */
  match: string | null;
  /** Checks the text itself when the words of the index are not enough. */
  confirms(doc: Doc): boolean;
}

/** The `$text` of a filter, at its top or under `$and`, and the filter without it. */
export function splitText(filter: Doc): { text: unknown; rest: Doc } {
  let found: unknown;
  const take = (part: Doc): Doc =>
    Object.fromEntries(
      Object.entries(part).flatMap(([name, operand]): [string, unknown][] => {
        if (name === '$and' && Array.isArray(operand))
          return [[name, operand.map((one) => (isDoc(one) ? take(one) : one))]];
        if (name !== '$text') return [[name, operand]];
        if (found !== undefined) fail(2, 'Too many text expressions');
        found = operand;
        return [];
      }),
    );
  const rest = take(filter);
  return found === undefined ? { text: undefined, rest: filter } : { text: found, rest };
}

/**
 * @param rest the filter beside `$text`, which must equal the fields before the text in a compound index
 * @throws MongoError 27 without a text index, 291 when a prefix field is not given
 */
export function planText(
  collection: Collection | undefined,
  operand: unknown,
  rest: Doc,
): TextQuery {
  const index = collection?.indexes.find(({ spec }) => spec.text);
  const spec = index?.spec.text;
  if (!index || !spec) fail(27, 'text index required for $text query');
  const search = parseSearch(operand, spec);
  const prefix = spec.prefix.map(({ name }) => requireEquality(rest, name));
  return {
    index,
    match: matchExpression(search, prefix.length > 0 ? prefixToken(prefix) : null),
    confirms: (doc) => confirms(search, spec, doc),
  };
}

function requireEquality(filter: Doc, name: string): unknown {
  const conditions = [filter, ...(Array.isArray(filter.$and) ? filter.$and.filter(isDoc) : [])];
  for (const condition of conditions) {
    const operand = field(condition, name);
    if (operand === undefined) continue;
    if (operand instanceof BSONRegExp) break;
    if (!isOperators(operand)) return operand;
    if ('$eq' in operand) return operand.$eq;
  }
  return fail(
    291,
    'error processing query: planner returned error: failed to use text index to satisfy $text query (if text index is compound, are equality predicates given for all prefix fields?)',
  );
}

const SEARCH_OPTIONS = new Set(['$search', '$language', '$caseSensitive', '$diacriticSensitive']);

function parseSearch(operand: unknown, { language }: TextSpec): Search {
  if (!isDoc(operand)) fail(2, '$text expects an object');
  const unknown = Object.keys(operand).find((name) => !SEARCH_OPTIONS.has(name));
  if (unknown) fail(2, `extra fields in $text: ${unknown}`);
  const { $search, $language = language } = operand;
  if (typeof $search !== 'string')
    fail(14, `"$search" had the wrong type. Expected string, found ${show($search)}`);
  if ($language !== language)
    fail(2, `The embedded database searches only in the language of the index: ${language}`);
  for (const option of ['$caseSensitive', '$diacriticSensitive'])
    if (operand[option] !== undefined && operand[option] !== false)
      fail(2, `The embedded database has no ${option} search`);
  const search = readSearch($search);
  const indexed = (words: string[]) => words.filter((word) => !isStopWord(word, language));
  return { ...search, words: indexed(search.words), wholeWords: indexed(search.wholeWords) };
}

const isStopWord = (word: string, language: TextSpec['language']) =>
  language === 'english' && STOP_WORDS.has(word.toLowerCase());

/** Words as SQLite's tokenizer `unicode61` splits them. */
const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? [];

/** Words between other characters: the first and the last word of a phrase may be parts of longer ones. */
const wholeWordsOf = (phrase: string): string[] =>
  phrase.match(
    /(?<=[^\p{L}\p{N}\p{M}\p{Co}])[\p{L}\p{N}\p{M}\p{Co}]+(?=[^\p{L}\p{N}\p{M}\p{Co}])/gu,
  ) ?? [];

/** A minus excludes only before a word or a phrase: `well-known` excludes nothing. */
const PART = /(?<=^|\s)(?<minus>-)?(?:"(?<phrase>[^"]*)"|(?<word>[^\s"]+))|(?<rest>[^\s"]+)/g;

function readSearch(text: string): Search {
  const search: Search = {
    words: [],
    wholeWords: [],
    phrases: [],
    withoutWords: [],
    withoutPhrases: [],
  };
  for (const { groups = {} } of text.matchAll(PART)) {
    const { minus, phrase } = groups;
    const words = wordsOf(phrase ?? groups.word ?? groups.rest ?? '');
    if (phrase === undefined) search[minus ? 'withoutWords' : 'words'].push(...words);
    else if (minus) search.withoutPhrases.push(phrase);
    else {
      search.phrases.push(phrase);
      search.words.push(...words);
      search.wholeWords.push(...wholeWordsOf(phrase));
    }
  }
  return search;
}

const quoted = (words: readonly string[]) => words.map((word) => `"${word}"`);

function matchExpression(
  { words, wholeWords, withoutWords }: Search,
  prefix: string | null,
): string | null {
  if (words.length === 0) return null;
  const inText = (list: readonly string[], operator: 'OR' | 'AND') =>
    `(- prefix : (${quoted(list).join(` ${operator} `)}))`;
  const found = wholeWords.length > 0 ? inText(wholeWords, 'AND') : inText(words, 'OR');
  const wanted = prefix ? `(prefix : "${prefix}" AND ${found})` : found;
  return withoutWords.length > 0 ? `${wanted} NOT ${inText(withoutWords, 'OR')}` : wanted;
}

/** As in MongoDB, a phrase is a substring of the text, without case and accents, and not a sequence of stems. */
function confirms(search: Search, spec: TextSpec, doc: Doc): boolean {
  if (search.phrases.length === 0 && search.withoutPhrases.length === 0) return true;
  const texts = textsOf(spec, doc).map(plain);
  const has = (phrase: string) => texts.some((text) => text.includes(plain(phrase)));
  return search.phrases.every(has) && !search.withoutPhrases.some(has);
}

const plain = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** True for `{ $meta: 'textScore' }`. @throws MongoError for other metadata */
export function isTextScore(operand: unknown): boolean {
  if (!isDoc(operand) || !('$meta' in operand)) return false;
  if (operand.$meta !== 'textScore')
    fail(17308, `The embedded database has no metadata ${show(operand.$meta)}`);
  return true;
}

/**
 * The document's score in a text search.
 * @throws MongoError 40218 without a search
 */
export function textScore(doc: unknown): Double {
  const score = isDoc(doc) ? textScores.get(doc) : undefined;
  return score === undefined ? noTextScore() : new Double(score);
}

export const noTextScore = (): never =>
  fail(40218, 'query requires text score metadata, but it is not available');
