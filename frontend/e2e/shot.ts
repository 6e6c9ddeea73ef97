import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';

const FOLDER = path.resolve(import.meta.dirname, '../../screenshots');
const PHONE = { width: 390, height: 844 };
const NARROW = 600;

/**
 * Pictures of the screen that a journey has reached, in both themes, and on a phone too where the journey goes on after its
 * window was narrow: `screenshots/<name>-<wide|narrow>-<dark|light>.png`. Only when SCREENSHOTS is set, as `npm run screenshots` does.
 */
export async function shot(page: Page, name: string, { phone = false } = {}): Promise<void> {
  if (!process.env.SCREENSHOTS) return;
  await inBothThemes(page, name);
  const size = page.viewportSize();
  if (!phone || !size) return;
  await page.setViewportSize(PHONE);
  await inBothThemes(page, name);
  await page.setViewportSize(size);
}

async function inBothThemes(page: Page, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  await settle(page);
  const width = await page.evaluate(() => innerWidth);
  const size = width < NARROW ? 'narrow' : 'wide';
  const isDark = await page.evaluate(() => document.documentElement.classList.contains('dark'));
  for (const theme of ['dark', 'light']) {
    await switchTo(page, theme === 'dark');
    const file = path.join(FOLDER, `${name}-${size}-${theme}.png`);
    await page.screenshot({ path: file, animations: 'disabled' });
  }
  await switchTo(page, isDark);
}

const switchTo = (page: Page, isDark: boolean) =>
  page.evaluate((on) => document.documentElement.classList.toggle('dark', on), isDark);

/** Waits until nothing in view is loading; failed loads are pictured as they are. */
const settle = (page: Page) =>
  page
    .waitForFunction(
      () => {
        const images = [...document.images].filter((it) => {
          const { top, bottom } = it.getBoundingClientRect();
          return it.checkVisibility() && bottom > 0 && top < innerHeight;
        });
        return (
          !document.querySelector('.animate-shimmer') && images.every(({ complete }) => complete)
        );
      },
      null,
      { timeout: 5_000 },
    )
    .catch(() => undefined);
