// Recognition of text in pictures, in real processes.

import { beforeAll, expect, it } from 'vitest';
import type { FileList, FilePage, UserFile } from '../src/contract/files.ts';
import { startProcess } from './processes.ts';
import { makeScan, printedPage } from './scans.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';

/** So many that some are left when the first progress is read: it is stored every 1.25 s. */
const PAGES = 24;
let stack: Stack;
let scan: Buffer;

beforeAll(async () => {
  const pages = Array.from({ length: PAGES }, (_, n) =>
    printedPage(`The rent is ${n + 1}200 euros`),
  );
  [stack, scan] = await Promise.all([
    startStack({ OCR: 'true', OCR_LANGUAGES: 'eng' }),
    Promise.all(pages).then((pictures) => makeScan(pictures, 'Received 2026-11-24')),
  ]);
});

const fileOf = async (api: ApiClient, id: string) =>
  (await api.get<FileList>(`/files?ids=${id}`)).body.files[0];

const until = (api: ApiClient, id: string, holds: (file: UserFile | undefined) => boolean) =>
  expect.poll(async () => holds(await fileOf(api, id)), { interval: 50 }).toBe(true);

it('is finished by another worker when one is killed, while the file stays ready', async () => {
  const api = await stack.guest();
  const { id } = await api.upload('lease.pdf', scan, 'chat');
  await until(api, id, (file) => file?.state === 'ready');
  const page = () => api.get<FilePage>(`/files/${id}/pages/1`);
  expect((await page()).body.text).toContain('Received 2026-11-24');
  await until(api, id, (file) => (file?.recognition?.done ?? 0) > 1);
  await stack.worker.kill('SIGKILL');
  expect(await fileOf(api, id)).toMatchObject({
    state: 'ready',
    unread: [{ kind: 'picture' }],
    recognition: { total: PAGES },
  });
  await startProcess('worker', { env: stack.env });
  await until(api, id, (file) => file?.recognition === undefined);
  expect(await fileOf(api, id)).toMatchObject({ state: 'ready', pages: PAGES });
  expect((await fileOf(api, id))?.unread).toBeUndefined();
  for (let n = 1; n <= PAGES; n += 1)
    expect((await api.get<FilePage>(`/files/${id}/pages/${n}`)).body.text).toBe(
      `Received 2026-11-24\nThe rent is ${n}200 euros`,
    );
});

it.each(['web', 'worker'])(
  '%s does not start with a language that is not installed',
  async (name) => {
    const env = { ...stack.env, OCR_LANGUAGES: 'eng,tlh' };
    await expect(startProcess(name, { env })).rejects.toThrow(
      'npm install -w backend @tesseract.js-data/tlh',
    );
  },
);
