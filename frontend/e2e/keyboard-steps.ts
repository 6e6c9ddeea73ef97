// Steps that use the product by keyboard alone.
import type { Locator } from 'playwright-core';
import { isFocused } from './steps.ts';

/** More Tab stops than any page has. */
const MAX_STOPS = 150;

type Key = 'Tab' | 'Shift+Tab' | 'ArrowDown';

/** Moves the focus to a control by one key; by default backwards, because the last focus was the message box. */
export async function tabTo(target: Locator, key: Key = 'Shift+Tab'): Promise<void> {
  const page = target.page();
  await target.waitFor({ state: 'attached' });
  for (let n = 0; n < MAX_STOPS; n += 1) {
    if (await isFocused(target)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not reach ${String(target)}`);
}

export async function press(target: Locator, key?: Key): Promise<void> {
  await tabTo(target, key);
  await target.page().keyboard.press('Enter');
}
