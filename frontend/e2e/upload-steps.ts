import type { FileChooser, Page } from 'playwright-core';
import { button, hold } from './steps.ts';

/** A file as the browser's dialogs take it. */
export const textFile = (name: string, content = name) => fileOf(name, 'text/plain', content);

export const pdfFile = (name: string, content: Buffer) => fileOf(name, 'application/pdf', content);

const fileOf = (name: string, mimeType: string, content: string | Buffer) => ({
  name,
  mimeType,
  buffer: Buffer.from(content as string),
});

/** Imports a conversation of Markdown in the settings, and waits for the last of its texts. */
export async function importMarkdown(page: Page, text: string, last: string): Promise<void> {
  await page.goto(new URL('/settings#import', page.url()).href);
  const file = fileOf('nights.md', 'text/markdown', text);
  await page.getByLabel('File of a conversation').setInputFiles(file);
  await page.getByText(last).waitFor();
}

/** The modal uploader. */
export const uploader = (page: Page) => page.locator('.uppy-Dashboard-inner');

/** The files of the message that is being written. */
export const chips = (page: Page) =>
  page.getByRole('list', { name: 'Files of this message' }).getByRole('listitem');

/** Attaches a file to the message that is being written and waits until it is stored. */
export async function attach(page: Page, file: ReturnType<typeof textFile>): Promise<void> {
  await choose(page, file);
  await page.getByRole('button', { name: `Remove ${file.name}` }).waitFor();
  await uploader(page).waitFor({ state: 'hidden' });
}

/** Chooses files in the system's dialog, which the paperclip opens; without any, cancels it. */
export async function choose(
  page: Page,
  files?: Parameters<FileChooser['setFiles']>[0],
): Promise<void> {
  const opened = page.waitForEvent('filechooser');
  await button(page, 'Attach files').click();
  const dialog = await opened;
  if (files) await dialog.setFiles(files);
}

/** Holds back every upload to the store until the returned function is called. */
export const holdUploads = (page: Page) => hold(page, 'PUT', /\/uploads\//);
