import type { Doc } from './bson.ts';
import { fail } from './errors.ts';
import { truthy } from './expressions.ts';
import { encodeKey } from './keys.ts';
import { isNumeric, toDouble } from './numbers.ts';
import { keyValues, type Path } from './paths.ts';
import { field, isDoc, show } from './values.ts';

/** The text part of an index `{ prefix: 1, field: 'text' }`: kept in a table of SQLite's full-text search. */
export interface TextSpec {
  /** Fields that a query must equal. */
  prefix: { name: string; path: Path }[];
  fields: { name: string; path: Path; weight: number }[];
  language: 'english' | 'none';
  /** The field by which a document may name another language, which is refused. */
  languageField: string;
}

/** The entry of one document in a text index: a token of its prefix, and the text of each field. */
export type TextEntry = { prefix: string; texts: string[] };

/** @throws MongoError 67 for an unsupported kind of text index */
export function parseTextIndex(source: Doc, key: Doc): TextSpec {
  const entries = Object.entries(key);
  const at = entries.findIndex(([, kind]) => kind === 'text');
  const texts = entries.filter(([, kind]) => kind === 'text').map(([name]) => name);
  if (entries.slice(at, at + texts.length).some(([, kind]) => kind !== 'text'))
    fail(67, "'text' fields in index must all be adjacent");
  if (at + texts.length < entries.length)
    fail(67, 'The embedded database has no text index with fields after the text');
  if (texts.some((name) => name.includes('$')))
    fail(67, 'The embedded database has no wildcard text index');
  for (const option of ['unique', 'expireAfterSeconds', 'partialFilterExpression'])
    if (truthy(source[option])) fail(67, `A text index cannot have the option ${option}`);
  const weights = source.weights ?? {};
  if (!isDoc(weights)) fail(67, 'weights must be an object');
  const stray = Object.keys(weights).find((name) => !texts.includes(name));
  if (stray !== undefined)
    fail(67, `The embedded database has no weight for ${stray}, which is no text field`);
  return {
    prefix: entries.slice(0, at).map(([name]) => ({ name, path: name.split('.') })),
    fields: texts.map((name) => ({ name, path: name.split('.'), weight: weight(weights[name]) })),
    language: requireLanguage(source.default_language ?? 'english'),
    languageField: text(source.language_override ?? 'language', 'language_override'),
  };
}

function weight(value: unknown): number {
  if (value === undefined) return 1;
  const number = isNumeric(value) ? toDouble(value) : 0;
  if (!(number >= 1 && number < 100_000))
    fail(
      67,
      `text index weight must be in the exclusive interval (0,100000) but found: ${show(value)}`,
    );
  return number;
}

const text = (value: unknown, option: string): string =>
  typeof value === 'string' && value ? value : fail(67, `${option} must be a string`);

function requireLanguage(value: unknown): 'english' | 'none' {
  if (value === 'none') return value;
  if (value === 'english' || value === 'en') return 'english';
  return fail(17262, `unsupported language: ${show(value)} for text index`);
}

/** The table of SQLite's full-text search for an index. It stores words, not a second copy of the text. */
export const textTable = (name: string, { fields, language }: TextSpec): string =>
  `create virtual table ${name} using fts5(prefix, ${columnsOf(fields)}, content='', contentless_delete=1,
    tokenize='${language === 'english' ? 'porter ' : ''}unicode61 remove_diacritics 2')`;

export const columnsOf = (fields: readonly unknown[]): string =>
  fields.map((_, i) => `c${i}`).join(', ');

/** A text index in the form of MongoDB's `listIndexes`, with all defaults. */
export function describeTextIndex(source: Doc, spec: TextSpec): Doc {
  const { key: _key, weights: _weights, ...options } = source;
  const prefix = Object.fromEntries(
    spec.prefix.map(({ name }) => [name, (source.key as Doc)[name]]),
  );
  return {
    ...options,
    key: { ...prefix, _fts: 'text', _ftsx: 1 },
    weights: Object.fromEntries(spec.fields.map(({ name, weight }) => [name, weight])),
    default_language: spec.language,
    language_override: spec.languageField,
    textIndexVersion: 3,
  };
}

/** @throws MongoError for an array in the prefix and for another language than the index's */
export function textEntry(spec: TextSpec, doc: Doc): TextEntry | null {
  const language = field(doc, spec.languageField);
  if (typeof language === 'string' && language !== spec.language && spec.language !== 'none')
    fail(17262, `language override unsupported: ${language}`);
  const texts = textsOf(spec, doc);
  if (texts.every((one) => one === '')) return null;
  const prefix = spec.prefix.map(({ name, path }) => {
    const { values, many } = keyValues(doc, path);
    if (many) fail(16675, `cannot have a multi-key as a prefix to a text index: ${name}`);
    return values[0];
  });
  return { prefix: prefixToken(prefix), texts };
}

/** The text of each field; for an array, its strings. */
export const textsOf = (spec: TextSpec, doc: Doc): string[] =>
  spec.fields.map(({ path }) =>
    keyValues(doc, path)
      .values.filter((value) => typeof value === 'string')
      .join('\n'),
  );

/** One word for the values of the prefix fields; it ends in a digit, so that it is never stemmed. */
export const prefixToken = (values: readonly unknown[]): string =>
  `p${Buffer.concat(values.map((value) => encodeKey(value, 1))).toString('hex')}0`;
