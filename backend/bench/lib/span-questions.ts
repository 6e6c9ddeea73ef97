import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';

/** A question and the place of its answer in a document; UTF-16 code units, `end` is exclusive. */
export interface SpanQuestion {
  question: string;
  document: string;
  spans: { start: number; end: number }[];
}

const References = z.array(
  z.object({ content: z.string(), start_index: z.int(), end_index: z.int() }),
);

/**
 * Reads a folder in the format of brandonstarxel/chunking_evaluation: `corpora/<name>.md` (or .txt) and `questions_df.csv` with
 * the columns question, references (JSON; offsets in code points) and corpus_id.
 */
export function readSpanQuestions(folder: string) {
  const documents = new Map<string, string>();
  const [head, ...rows] = parseCsv(readFileSync(path.join(folder, 'questions_df.csv'), 'utf8'));
  const column = (name: string) => {
    const at = head?.indexOf(name) ?? -1;
    if (at === -1) throw new Error(`questions_df.csv has no column ${name}`);
    return at;
  };
  const [asked, references, corpus] = [
    column('question'),
    column('references'),
    column('corpus_id'),
  ];
  const questions = rows.map((row): SpanQuestion => {
    const document = row[corpus] ?? '';
    const text = documents.get(document) ?? readDocument(folder, document);
    documents.set(document, text);
    const spans = References.parse(JSON.parse(row[references] ?? '')).map((reference) => {
      const start = offsetOf(text, reference.start_index);
      const end = start + reference.content.length;
      if (text.slice(start, end) !== reference.content) {
        throw new Error(`${document} has another text at ${reference.start_index}`);
      }
      return { start, end };
    });
    return { question: row[asked] ?? '', document, spans };
  });
  return { documents, questions };
}

function readDocument(folder: string, name: string): string {
  const files = ['.md', '.txt'].map((end) => path.join(folder, 'corpora', name + end));
  const file = files.find((candidate) => existsSync(candidate));
  if (!file) throw new Error(`There is no document ${name} in ${folder}/corpora`);
  // In the offsets a line end counts as one character.
  return readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
}

/** The offset in UTF-16 code units of the code point number `at`. */
function offsetOf(text: string, at: number): number {
  let offset = 0;
  for (let point = 0; point < at; point += 1)
    offset += (text.codePointAt(offset) ?? 0) > 0xff_ff ? 2 : 1;
  return offset;
}

/** Rows of a CSV file with quoted fields (RFC 4180). */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/g,
  )) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ',' && end !== '') rows.push([]);
    if (end === '') break;
  }
  return rows.filter((row) => row.length > 1);
}
