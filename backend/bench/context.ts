/**
 * Benchmark `context`: the time that a persona, 500 memories and the files of a conversation add between a send and the call of the
 * provider. The baseline is a conversation without them. `npm run bench -- context`
 */
import { randomUUID } from 'node:crypto';
import type { AttachedFile, FileList } from '../src/contract/files.ts';
import { MAX_FILES_PER_MESSAGE } from '../src/contract/limits.ts';
import type { Memory } from '../src/contract/memory.ts';
import type { Reply, SentMessage } from '../src/contract/messages.ts';
import type { Persona } from '../src/contract/personas.ts';
import { FILE_CHARS, FILES, page, question, timesOfFiles } from './lib/files-context-times.ts';
import { type Bench, withProduct } from './lib/product-page.ts';
import { p50 } from './lib/quantiles.ts';
import { atMost, delayRow, printTable, printTitle, printVerdicts } from './lib/report.ts';
import { clock } from './lib/stamped-provider.ts';

const MEMORIES = 500;
const PER_IMPORT = 100;
const ROUNDS = 30;
const LIMIT_MS = 30;
const LOOK_EVERY_MS = 50;

const pause = () => new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));

/**
 * Sends a message and waits for its reply.
 * @returns the time from the send to the provider, in ms
 */
async function send({ call, provider }: Bench, conversationId: string, more: object = {}) {
  const former = provider.arrivals.length;
  const body = { content: question(), clientMessageId: randomUUID(), ...more };
  const sentAt = clock();
  const { reply } = await call<SentMessage>(`/conversations/${conversationId}/messages`, body);
  for (;;) {
    const { status } = await call<Reply>(`/replies/${reply.id}`);
    if (status === 'complete') return (provider.arrivals[former] ?? Number.NaN) - sentAt;
    if (status !== 'queued' && status !== 'streaming') throw new Error(`A reply ended ${status}.`);
    await pause();
  }
}

async function saveMemories({ call }: Bench): Promise<void> {
  for (let at = 0; at < MEMORIES; at += PER_IMPORT) {
    const texts = Array.from({ length: PER_IMPORT }, () => question().slice(0, 200));
    const memories = texts.map((text, n) => ({ text: `${at + n}: ${text}` }));
    const added = await call<{ memories: Memory[] }>('/memories/import', { memories });
    for (const { id } of added.memories) await call(`/memories/${id}/approve`, {});
  }
}

async function uploadFiles({ call }: Bench): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < FILES; at += 1) {
    const pages = Array.from({ length: 40 }, (_, n) => page(n + 1).text);
    const form = new FormData();
    form.append('file', new Blob([pages.join('\n\n').slice(0, FILE_CHARS)]), `report ${at}.txt`);
    ids.push((await call<AttachedFile>('/files', form)).id);
  }
  for (;;) {
    const { files } = await call<FileList>('/files?limit=50');
    if (files.every(({ state }) => state === 'ready')) return ids;
    await pause();
  }
}

/** A conversation with all parts of a prompt. */
async function fullConversation(bench: Bench): Promise<string> {
  await saveMemories(bench);
  const fileIds = await uploadFiles(bench);
  const instructions = 'You keep the log of the observatory.';
  const persona = await bench.call<Persona>('/personas', { name: 'Keeper', instructions });
  const id = await bench.newConversation();
  for (let at = 0; at < fileIds.length; at += MAX_FILES_PER_MESSAGE) {
    const files = fileIds.slice(at, at + MAX_FILES_PER_MESSAGE).map((fileId) => ({ id: fileId }));
    await send(bench, id, { files, personaId: persona.id });
  }
  return id;
}

const inProcess = await timesOfFiles();
const { plain, full } = await withProduct(async (bench) => {
  const delays = { plain: [] as number[], full: [] as number[] };
  const conversations = {
    plain: await bench.newConversation(),
    full: await fullConversation(bench),
  };
  await send(bench, conversations.plain);
  for (let round = 0; round < ROUNDS; round += 1) {
    delays.plain.push(await send(bench, conversations.plain));
    delays.full.push(await send(bench, conversations.full));
  }
  return delays;
});

printTitle(`context: ${MEMORIES} memories, a persona, ${FILES} files of ${FILE_CHARS / 1024} KB`);
printTable(
  ['from POST to the request at the provider', 'p50', 'p95'],
  [delayRow('a plain conversation', plain), delayRow('with all of it', full)],
);
printTable(
  ['the files alone, in one process', 'p50', 'p95'],
  [delayRow('read and computed anew', inProcess.cold), delayRow('in memory', inProcess.warm)],
);
printVerdicts([atMost('adds (p50)', p50(full) - p50(plain), LIMIT_MS)]);
