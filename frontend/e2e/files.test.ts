import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FileList, UserFile } from '@stolas/backend/contract';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { ownProduct } from './open-product.ts';
import { shot } from './shot.ts';
import {
  barriers,
  button,
  checkScreen,
  composer,
  expectFocus,
  get,
  lastReply,
  messageOf,
  newConversation,
  routeOnly,
  send,
} from './steps.ts';
import { attach, chips, choose, holdUploads, textFile, uploader } from './upload-steps.ts';

const MB = 1024 * 1024;
/** Above the default limit; a setting raises the limit of Pro. */
const LARGE_BYTES = 121 * MB;

const { url, guest, subscribe } = await ownProduct({ PRO_UPLOAD_MB: '200' });
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stolas-files-'));
  return () => rm(folder, { recursive: true, force: true });
});

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A subscriber of Pro in a new conversation. */
async function openChat() {
  const arrived = await subscribe('Pro');
  await newConversation(arrived.page);
  await composer(arrived.page).waitFor();
  return arrived;
}

interface TextFile {
  name: string;
  text: string;
}

/** Drags files over the page and drops them there. */
async function drop(page: Page, files: readonly TextFile[]): Promise<void> {
  const transfer = await page.evaluateHandle((given) => {
    const data = new DataTransfer();
    for (const { name, text } of given) data.items.add(new File([text], name));
    return data;
  }, files);
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: transfer });
  await page.locator('[data-drop-overlay]').waitFor();
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
  await page.locator('[data-drop-overlay]').waitFor({ state: 'detached' });
}

const chip = (page: Page, name: string) => chips(page).filter({ hasText: name });

/** How many files the browser keeps over a reload. */
const keptBlobs = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open('uppy-blobs');
        opening.addEventListener('error', reject);
        opening.addEventListener('success', () => {
          const counting = opening.result.transaction('files').objectStore('files').count();
          counting.addEventListener('error', reject);
          counting.addEventListener('success', () => resolve(counting.result));
          opening.result.close();
        });
      }),
  );

/** Runs in the page: what it keeps over a reload is read when the event `release-blobs` comes. */
function holdKeptBlobs(): void {
  const getAll = Reflect.get(IDBIndex.prototype, 'getAll');
  const released = new Promise((resolve) => window.addEventListener('release-blobs', resolve));
  IDBIndex.prototype.getAll = function held(...query) {
    const request = getAll.apply(this, query);
    const answer = { onsuccess: (_event: unknown) => {}, onerror: null };
    request.addEventListener('success', ({ target }) => {
      void released.then(() => answer.onsuccess({ target }));
    });
    return answer as unknown as IDBRequest<unknown[]>;
  };
}

/** The user's files, as the server lists them. */
const listFiles = async (page: Page): Promise<UserFile[]> =>
  (await get<FileList>(page, '/files')).files;

const namesOf = async (page: Page) => (await listFiles(page)).map(({ name }) => name).toSorted();

/** Requests the link of a file as a signed-in browser does. */
async function download(page: Page, address: string): Promise<string> {
  const answer = await page.request.get(new URL(address, url).href);
  expect(answer.headers()['content-disposition']).toMatch(/^inline; filename="owls\.txt"/);
  expect(answer.headers()['content-type']).toMatch(/^text\/plain/);
  return answer.text();
}

describe('files of a message', () => {
  it('are dropped, watched, removed, sent and downloaded', async () => {
    const { visitor, page } = await openChat();
    const release = await holdUploads(page);
    const owls = { name: 'owls.txt', text: 'Owls fly without a sound.\n'.repeat(200) };
    await drop(page, [
      owls,
      { name: 'ravens.md', text: '# Ravens\n\nRavens solve puzzles.' },
      { name: 'herons.txt', text: 'Herons stand still.' },
    ]);
    await expect.poll(() => chips(page).count()).toBe(3);
    await chip(page, 'owls.txt').getByRole('progressbar').waitFor();
    expect(await barriers(page)).toEqual([]);
    await send(page, 'What do my files say about owls?');
    await page.getByText('Sends when the files are uploaded').waitFor();
    await chip(page, 'herons.txt').getByRole('button', { name: 'Remove herons.txt' }).click();
    release();

    const message = messageOf(page, 'What do my files say about owls?');
    await message.getByRole('link', { name: 'owls.txt', exact: true }).waitFor();
    await message.getByRole('link', { name: 'ravens.md', exact: true }).waitFor();
    expect(await message.getByText('herons.txt').count()).toBe(0);
    await expect.poll(() => chips(page).count()).toBe(0);
    await lastReply(page).waitFor();

    const link = message.getByRole('link', { name: 'owls.txt', exact: true });
    const address = await link.getAttribute('href');
    expect(await download(page, address ?? '')).toBe(owls.text);
    expect(visitor.errors).toEqual([]);
  });

  it('stay with their draft over a reload', async () => {
    const { page } = await openChat();
    await drop(page, [{ name: 'owls.txt', text: 'Owls fly without a sound.' }]);
    await expect.poll(async () => (await listFiles(page)).length).toBe(1);
    await composer(page).fill('Half a thought');
    await page.reload();
    await chip(page, 'owls.txt').waitFor();
    await expect.poll(() => composer(page).inputValue()).toBe('Half a thought');
  });

  it('that are dropped before the uploads of the last page are read stay, and both are stored', async () => {
    const { page } = await openChat();
    const release = await holdUploads(page);
    await drop(page, [{ name: 'ravens.txt', text: 'Ravens solve puzzles.' }]);
    await chip(page, 'ravens.txt').getByRole('progressbar').waitFor();
    await expect.poll(() => keptBlobs(page)).toBe(1);
    await page.addInitScript(holdKeptBlobs);
    await page.reload();
    await composer(page).waitFor();
    await drop(page, [{ name: 'owls.txt', text: 'Owls fly without a sound.' }]);
    await chip(page, 'owls.txt').waitFor();
    await page.evaluate(() => window.dispatchEvent(new Event('release-blobs')));
    await chip(page, 'ravens.txt').waitFor();
    await page.getByText('Session restored', { exact: true }).waitFor();
    release();
    await expect.poll(() => namesOf(page)).toEqual(['owls.txt', 'ravens.txt']);
    await expect.poll(() => page.locator('[role=progressbar]').count()).toBe(0);
    await expect.poll(() => chips(page).count()).toBe(2);
  });

  it('go to our own server as a form when the store is blocked', async () => {
    const { page } = await openChat();
    await routeOnly(page, 'PUT', /\/uploads\//, (route) => route.abort());
    await drop(page, [{ name: 'owls.txt', text: 'Owls fly without a sound.' }]);
    await expect.poll(() => namesOf(page)).toEqual(['owls.txt']);
  });
});

describe('the modal uploader', () => {
  it('stays open when the dialog of the system is cancelled, with its cross inside, and uploads what is browsed for', async () => {
    const { visitor, page } = await openChat();
    await choose(page);
    await uploader(page).waitFor();
    const [cross, box] = await Promise.all([
      page.locator('.uppy-Dashboard-close').boundingBox(),
      uploader(page).boundingBox(),
    ]);
    expect(cross!.y).toBeGreaterThanOrEqual(box!.y);
    expect(cross!.x + cross!.width).toBeLessThanOrEqual(box!.x + box!.width);
    await shot(page, 'uploader');
    const browsed = page.waitForEvent('filechooser');
    await uploader(page).getByRole('button', { name: 'browse files' }).click();
    await (await browsed).setFiles([textFile('owls.txt'), textFile('ravens.txt')]);
    await uploader(page).waitFor({ state: 'detached' });
    await expect.poll(() => chips(page).count()).toBe(2);
    expect(visitor.errors).toEqual([]);
  });

  it('uploads what fits and stays open with what was refused', async () => {
    const { page } = await openChat();
    const empty = { ...textFile('empty.txt'), buffer: Buffer.alloc(0) };
    await choose(page, [textFile('owls.txt'), textFile('ravens.txt'), empty]);
    await uploader(page)
      .getByText('This file is empty. Choose a file with content.')
      .first()
      .waitFor();
    await uploader(page).getByText('Complete').first().waitFor();
    await expect.poll(async () => (await listFiles(page)).length).toBe(2);
    await checkScreen(page, 'uploader-refused');
    await page.keyboard.press('Escape');
    await uploader(page).waitFor({ state: 'detached' });
    await expect.poll(() => chips(page).count()).toBe(2);
  });

  it('stays open while another of its uploads goes on, and with one that failed', async () => {
    const { page } = await openChat();
    await page.route('**/api/objects/attach', (route) =>
      route.request().postDataJSON().fileName === 'ravens.txt'
        ? route.fulfill({ status: 402, json: { code: 'quota', message: 'Your storage is full.' } })
        : route.continue(),
    );
    await choose(page, [textFile('owls.txt'), textFile('ravens.txt')]);
    await uploader(page).getByText('Failed to upload ravens.txt').first().waitFor();
    await chip(page, 'owls.txt').waitFor();
    expect(await uploader(page).isVisible()).toBe(true);
  });

  it('refuses what is too large, by name and limit, and is closed by Escape', async () => {
    const { visitor, page } = await openChat();
    const large = path.join(folder, 'large.bin');
    await writeFile(large, Buffer.alloc(25 * MB + 1));
    await choose(page, large);
    await page.getByText('large.bin exceeds maximum allowed size of 25 MB').first().waitFor();
    await shot(page, 'uploader-restriction');
    await page.keyboard.press('Escape');
    await uploader(page).waitFor({ state: 'detached' });
    expect(visitor.errors).toEqual([]);
  });
});

describe('the message box', () => {
  it('has the focus after an upload by the paperclip, and the paperclip after Escape', async () => {
    const { page } = await openChat();
    const paperclip = page.getByRole('button', { name: 'Attach files' });
    await choose(page);
    await uploader(page).waitFor();
    await page.keyboard.press('Escape');
    await expectFocus(paperclip);
    await attach(page, textFile('owls.txt', 'Hoot.'));
    const box = composer(page);
    await expectFocus(box);
    await page.keyboard.type('What do owls say?');
    expect(await box.inputValue()).toBe('What do owls say?');
    await shot(page, 'attached');
  });

  it('keeps Undo of a paste that became a file while the file is stored', async () => {
    const { page } = await openChat();
    const box = composer(page);
    await box.focus();
    const text = 'Owls hoot. '.repeat(4_000);
    const stored = page.waitForResponse((response) => response.url().endsWith('/objects/attach'));
    await box.evaluate((it, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      it.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      );
    }, text);
    await stored;
    await shot(page, 'pasted-file');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => box.inputValue()).toBe(text);
  });
});

it('a guest who drops two files keeps the first one, and is led to registration', async () => {
  const { page } = await guest();
  await composer(page).waitFor();
  await drop(page, [
    { name: 'owls.txt', text: 'Owls fly without a sound.' },
    { name: 'ravens.txt', text: 'Ravens solve puzzles.' },
  ]);
  await page.getByText('A guest can attach 1 file a message.').first().waitFor();
  await chip(page, 'owls.txt').waitFor();
  expect(await chips(page).count()).toBe(1);
  await checkScreen(page, 'guest-files');
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByRole('button', { name: 'Create Account' }).waitFor();
});

describe('a large upload', () => {
  it('goes on after the connection was cut and the page reloaded, and the stored bytes are equal', async () => {
    const { page } = await subscribe('Pro');
    const large = path.join(folder, 'observations.bin');
    const bytes = randomBytes(LARGE_BYTES);
    await writeFile(large, bytes);
    await page.goto(`${url}/files`);
    await button(page, 'Upload').click();
    await page.locator('.uppy-Dashboard-input').first().setInputFiles(large);

    const stored: string[] = [];
    let isCut = false;
    await page.route(/partNumber=/, async (route) => {
      const part = new URL(route.request().url()).searchParams.get('partNumber') ?? '';
      if (isCut) return route.abort();
      stored.push(part);
      return route.continue();
    });
    await page.getByRole('button', { name: 'Upload 1 file' }).click();
    await expect.poll(() => stored.length).toBeGreaterThan(8);
    isCut = true;
    await page.context().setOffline(true);
    const before = new Set(stored);
    await page.context().setOffline(false);
    await page.reload();
    isCut = false;

    await page.getByText('Session restored', { exact: true }).waitFor();
    await expect.poll(() => namesOf(page)).toEqual(['observations.bin']);
    const [file] = await listFiles(page);
    expect(file).toMatchObject({ size: LARGE_BYTES, sha256: sha256(bytes) });
    // The parts from before the cut were not sent again.
    const again = stored.slice(before.size).filter((part) => before.has(part));
    expect(again.length).toBeLessThan(before.size);
  });
});
