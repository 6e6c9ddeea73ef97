import type { Page } from 'playwright-core';
import { gate } from './gate.ts';

/** Attaches a file to the message that is being written and waits until it is stored. */
export async function attach(
  page: Page,
  file: { name: string; mimeType: string; buffer: Buffer },
): Promise<void> {
  await page.getByRole('button', { name: 'Attach files' }).click();
  await page.locator('.uppy-Dashboard-input').first().setInputFiles(file);
  await page.locator('.uppy-StatusBar-actionBtn--upload').click();
  await page.getByRole('button', { name: `Remove ${file.name}` }).waitFor();
  await page.locator('.uppy-Dashboard-inner').waitFor({ state: 'hidden' });
}

/** Lets no upload reach the store until it is released. */
export async function holdUploads(page: Page): Promise<{ release: () => void }> {
  const { opened, open } = gate();
  await page.route(/\/uploads\//, async (route) => {
    if (route.request().method() === 'PUT') await opened;
    // After a reload nobody waits for the answer any more.
    await route.continue().catch(() => undefined);
  });
  return { release: open };
}
