// The files of a prompt without the rest of the product, with generated texts.
import { memoryObjects } from '../../src/features/files/reading/objects.fixture.ts';
import { createFileTexts } from '../../src/features/files/reading/text-store.ts';
import { contextOfFiles } from '../../src/features/files/retrieval/files-context.ts';
import { featureOf, fileOf, OWNER } from '../../src/features/files/retrieval/retrieval.fixture.ts';
import type { ReadPage } from '../../src/reading/index.ts';
import { rareWords, writer } from './words.ts';

/** The number of files, and the characters of each. */
export const FILES = 20;
export const FILE_CHARS = 100 * 1024;
const PAGE_CHARS = 3_000;
const COLD_RUNS = 5;
const WARM_RUNS = 40;

const write = writer('files');

/** A page of made-up words. */
export function page(n: number): ReadPage {
  let text = '';
  while (text.length < PAGE_CHARS) text += `${write(14)}. `;
  return { n, text };
}

const files = Array.from({ length: FILES }, (_, at) =>
  fileOf({ name: `report ${at}.pdf`, size: FILE_CHARS }),
);

const objects = memoryObjects();
for (const file of files) {
  const pages = Array.from({ length: Math.ceil(FILE_CHARS / PAGE_CHARS) }, (_, at) => page(at + 1));
  await createFileTexts({ objects }).save(file, pages);
}

const rareWord = rareWords('questions');
/** A question with words that occur in few passages. */
export const question = () =>
  `What do the ${rareWord()} and the ${rareWord()} say about ${rareWord()}?`;

const log = { warn: (...warning: unknown[]) => console.error(warning) } as never;
/** With empty caches. */
const createFeature = () => featureOf({ texts: createFileTexts({ objects }), log });

async function timeOf(feature: ReturnType<typeof createFeature>): Promise<number> {
  const path = [
    { id: '1', role: 'user' as const, content: question(), fileIds: files.map(({ id }) => id) },
  ];
  const ids = { ownerId: OWNER, conversationId: 'c'.repeat(24), replyId: 'b'.repeat(24) };
  const { signal } = new AbortController();
  const started = performance.now();
  await contextOfFiles(feature, { ...ids, path, budgetTokens: 12_000, signal }, files);
  return performance.now() - started;
}

/** The time for the files of a prompt in one process, in ms: with cached texts and indexes, and without. */
export async function timesOfFiles(): Promise<{ cold: number[]; warm: number[] }> {
  const cold: number[] = [];
  for (let run = 0; run < COLD_RUNS; run += 1) cold.push(await timeOf(createFeature()));
  const warm: number[] = [];
  const feature = createFeature();
  await timeOf(feature);
  for (let run = 0; run < WARM_RUNS; run += 1) warm.push(await timeOf(feature));
  return { cold, warm };
}
