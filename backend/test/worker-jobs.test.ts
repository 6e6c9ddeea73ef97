import { beforeAll, expect, it } from 'vitest';
import type { FileList, UploadTarget } from '../src/contract/files.ts';
import { startProcess } from './processes.ts';
import { type Stack, startStack } from './stack.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ PLANS: 'off', WORKER_JOBS: 'replies,post-steps' });
  stack.provider.onMessage(/.*/, { content: 'Here it is.' });
});

it('a worker serves its queues only, so that files and replies are served apart', async () => {
  const guest = await stack.guest();
  const id = await guest.conversation();
  const bytes = Buffer.from('A note.');
  const { body } = await guest.post<UploadTarget>('/objects/upload', { fileSize: bytes.length });
  const { uploadURL, headers } = body;
  expect((await fetch(uploadURL, { method: 'PUT', body: bytes, headers })).status).toBe(200);
  await guest.post('/objects/attach', { uploadURL, fileName: 'a.txt', fileType: 'text/plain' });
  const states = async () =>
    (await guest.get<FileList>('/files')).body.files.map(({ state }) => state);
  await expect.poll(states).toEqual(['waiting']);

  await guest.send(id, 'Hello');
  await expect.poll(async () => (await guest.reply(id)).status).toBe('complete');
  expect(await states()).toEqual(['waiting']);

  await stack.worker.kill();
  await startProcess('worker', { env: { ...stack.env, WORKER_JOBS: 'files' } });
  await expect.poll(states).toEqual(['ready']);
});

it('a worker with an unknown name ends with the list of names', async () => {
  const env = { ...stack.env, WORKER_JOBS: 'letters' };
  await expect(startProcess('worker', { env })).rejects.toThrow(
    /letters is not among .*file-reading.*mails.*replies/,
  );
});
