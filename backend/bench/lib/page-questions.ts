import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { createFileReader, type ReadPage } from '../../src/reading/index.ts';

const Question = z.object({
  question: z.string(),
  /** The files that the conversation has. */
  files: z.array(z.string()).min(1),
  /** The pages with the answer, from 1. */
  evidence: z.array(z.object({ file: z.string(), page: z.int().min(1) })).min(1),
  /** The question in other words, as a model would put it. */
  variants: z.array(z.string()).default([]),
});
export type PageQuestion = z.infer<typeof Question>;

const FILE = 'questions.jsonl';

export const hasPageQuestions = (folder: string) => existsSync(path.join(folder, FILE));

/** Reads a folder with `questions.jsonl`, a question a line, and the folder `files` that they name; each file is read by the product. */
export async function readPageQuestions(folder: string) {
  const lines = readFileSync(path.join(folder, FILE), 'utf8').split('\n').filter(Boolean);
  const questions = lines.map((line) => Question.parse(JSON.parse(line)));
  const script = path.resolve('backend/dist/read-file.js');
  const reader = createFileReader({ languages: [], concurrency: 2, script });
  const texts = new Map<string, ReadPage[]>();
  const names = [...new Set(questions.flatMap(({ files }) => files))];
  await Promise.all(
    names.map(async (name) => {
      const { pages } = await reader.read({ path: path.join(folder, 'files', name), name });
      texts.set(name, pages);
    }),
  );
  return { texts, questions };
}
