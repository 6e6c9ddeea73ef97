import type { FileChooser, Page } from 'playwright-core';
import { gate } from './gate.ts';

/** Attaches a file to the message that is being written and waits until it is stored. */
export async function attach(
  page: Page,
  file: { name: string; mimeType: string; buffer: Buffer },
): Promise<void> {
  await choose(page, file);
  await page.getByRole('button', { name: `Remove ${file.name}` }).waitFor();
  await page.locator('.uppy-Dashboard-inner').waitFor({ state: 'hidden' });
}

type Chosen = Parameters<FileChooser['setFiles']>[0];

/** Chooses files in the system's dialog, which the paperclip opens; without any, cancels it. */
export async function choose(page: Page, files?: Chosen): Promise<void> {
  const opened = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach files' }).click();
  const dialog = await opened;
  if (files) await dialog.setFiles(files);
}

/** Holds back every upload to the store until it is released. */
export async function holdUploads(page: Page): Promise<{ release: () => void }> {
  const { opened, open } = gate();
  await page.route(/\/uploads\//, async (route) => {
    if (route.request().method() === 'PUT') await opened;
    // After a reload the answer has no receiver any more.
    await route.continue().catch(() => undefined);
  });
  return { release: open };
}
