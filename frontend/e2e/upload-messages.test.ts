import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { ownProduct } from './open-product.ts';
import { notice } from './payment-steps.ts';
import { barriers, button, routeOnly } from './steps.ts';
import { chips, holdUploads, textFile, uploader } from './upload-steps.ts';

const MB = 1024 * 1024;

const { url, subscribe } = await ownProduct({ PRO_UPLOAD_MB: '30' });
let page: Page;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stolas-messages-'));
  ({ page } = await subscribe('Pro'));
  return () => rm(folder, { recursive: true, force: true });
});

/** A file of that many bytes, all of them zero. */
async function zeros(name: string, bytes: number): Promise<string> {
  const file = path.join(folder, name);
  const handle = await open(file, 'w');
  await handle.truncate(bytes);
  await handle.close();
  return file;
}

const modal = () => uploader(page);
const said = (message: string) => modal().getByText(message).first().waitFor();
const input = () => page.locator('.uppy-Dashboard-input').first();

async function openChat(): Promise<void> {
  await page.goto(`${url}/?c=new`);
  await page.getByRole('button', { name: 'Attach files' }).click();
  await input().waitFor({ state: 'attached' });
}

async function openLibrary(): Promise<void> {
  // The browser forgets an ended upload a moment later; until then a new page would show it in the uploader.
  await expect.poll(() => page.evaluate(keptUploads)).not.toContain('.txt');
  await reopenLibrary();
  await input().waitFor({ state: 'attached' });
}

async function reopenLibrary(): Promise<void> {
  await page.goto(`${url}/files`);
  await button(page, 'Upload').click();
}

/** The state that the browser keeps of the library's uploads, as text. Runs in the page. */
const keptUploads = () =>
  Object.entries(localStorage)
    .filter(([key]) => key.startsWith('uppyState:library-'))
    .map(([, state]) => state)
    .join();

const upload = async (file: Parameters<ReturnType<typeof input>['setInputFiles']>[0]) => {
  await input().setInputFiles(file);
  await page.locator('.uppy-StatusBar-actionBtn--upload').click();
};

describe('what the uploader of the chat refuses', () => {
  beforeAll(openChat);

  it('large.bin exceeds maximum allowed size of 25 MB', async () => {
    await input().setInputFiles(await zeros('large.bin', 25 * MB + 1));
    await said('large.bin exceeds maximum allowed size of 25 MB');
  });

  it('This file is empty. Choose a file with content.', async () => {
    await input().setInputFiles(textFile('empty.txt', ''));
    await said('This file is empty. Choose a file with content.');
  });

  it('N additional restrictions were not fulfilled', async () => {
    await input().setInputFiles(Array.from({ length: 6 }, (_, n) => textFile(`${n}.txt`, '')));
    await said('2 additional restrictions were not fulfilled');
  });

  it("Cannot add the duplicate file 'owls.txt', it already exists", async () => {
    const owls = path.join(folder, 'owls.txt');
    await zeros('owls.txt', 5);
    await input().setInputFiles(owls);
    await modal().getByText('Upload complete').waitFor();
    await page.locator('.uppy-DashboardContent-addMore').click();
    await input().setInputFiles(owls);
    await said("Cannot add the duplicate file 'owls.txt', it already exists");
  });

  it('You can only upload 10 files: those that fit are uploaded', async () => {
    await input().setInputFiles(Array.from({ length: 11 }, (_, n) => textFile(`${n}.txt`)));
    await said('You can only upload 10 files');
    expect(await barriers(page)).toEqual([]);
    await modal().getByText('Upload complete').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => chips(page).count()).toBe(10);
  });
});

describe('the uploader', () => {
  it('stays open when an upload from before the reload ends, and closes after its own', async () => {
    const release = await holdUploads(page);
    await openLibrary();
    const begun = page.waitForRequest((request) => request.method() === 'PUT');
    await upload(textFile('swifts.txt'));
    await begun;
    await expect.poll(() => page.evaluate(keptUploads)).toContain('swifts.txt');
    await reopenLibrary();
    await modal().getByText('Uploading 1 file').waitFor();
    release();
    await button(page, 'swifts.txt').waitFor();
    await modal().getByText('Upload complete').waitFor();
    await page.locator('.uppy-DashboardContent-addMore').click();
    await upload(textFile('swallows.txt'));
    await button(page, 'swallows.txt').waitFor();
    await modal().waitFor({ state: 'detached' });
    await page.unrouteAll();
  });
});

describe('what becomes of uploads', () => {
  it('Files uploaded', async () => {
    await openLibrary();
    await upload([textFile('owls.txt'), textFile('ravens.txt')]);
    await notice(page, 'Files uploaded');
    await page.getByText('2 files uploaded successfully.', { exact: true }).waitFor();
  });

  it('Upload error: Failed to get upload URL, when the file is too large for the plan', async () => {
    await openLibrary();
    await upload(await zeros('observations.bin', 30 * MB + 1));
    await said('Failed to upload observations.bin');
    await page.keyboard.press('Escape');
    await page
      .getByText('observations.bin exceeds maximum allowed size of 30 MB')
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Retry observations.bin' }).click();
    await notice(page, 'Upload error');
    await page.getByText(/^Failed to get upload URL: observations\.bin exceeds/).waitFor();
    await page.getByRole('button', { name: 'Remove observations.bin' }).click();
  });

  it('Upload error: Failed to process uploaded files, when the server cannot attach them', async () => {
    await openLibrary();
    await page.route('**/api/objects/attach', (route) =>
      route.fulfill({ status: 402, json: { code: 'quota', message: 'Your storage is full.' } }),
    );
    await upload(textFile('herons.txt'));
    await said('Failed to upload herons.txt');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Retry herons.txt' }).click();
    await notice(page, 'Upload error');
    await notice(page, 'Failed to process uploaded files: Your storage is full.');
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Retry herons.txt' }).click();
    await button(page, 'herons.txt').waitFor();
  });

  it('Failed to upload {file}, when the address has expired', async () => {
    await openLibrary();
    await routeOnly(page, 'PUT', /\/uploads\//, (route) =>
      route.fulfill({ status: 403, body: '<Message>Request has expired</Message>' }),
    );
    await upload(textFile('kites.txt'));
    await said('Failed to upload kites.txt');
    await page.keyboard.press('Escape');
    await page.getByText('Request has expired').first().waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Retry kites.txt' }).click();
    await button(page, 'kites.txt').waitFor();
  });

  it('No Internet connection', async () => {
    await openLibrary();
    await page.context().setOffline(true);
    await said('No Internet connection');
    await page.context().setOffline(false);
  });
});
