// What the screenshots share: taking a picture, and the steps of a user before it.
import { mkdirSync } from 'node:fs';
import type { User } from '@stolas/backend/contract';
import type { Page } from 'playwright-core';

const FOLDER = 'screenshots';
/** Of a screen that scrolls, pictures beyond these show nothing new. */
const MOST_PARTS = 8;

export type Shot = (page: Page, name: string) => Promise<void>;

export interface Options {
  url: string;
  shot: Shot;
}

/** @param look ends the names of the files, for example `wide-dark` */
export function shotIn(look: string): Shot {
  mkdirSync(FOLDER, { recursive: true });
  return async (page, name) => {
    await settle(page);
    await page.screenshot({ path: `${FOLDER}/${name}-${look}.png` });
  };
}

/** Waits until nothing in view is still loading; what cannot be loaded is pictured as it is. */
const settle = (page: Page) =>
  page
    .waitForFunction(
      () => {
        const images = [...document.images].filter((it) => it.checkVisibility());
        const inView = images.filter((it) => {
          const { top, bottom } = it.getBoundingClientRect();
          return bottom > 0 && top < innerHeight;
        });
        return (
          !document.querySelector('.animate-shimmer') && inView.every(({ complete }) => complete)
        );
      },
      null,
      { timeout: 5_000 },
    )
    .catch(() => undefined);

/** A screen that is longer than the window, from its top to its end: `name`, `name-2`, … */
export async function whole(page: Page, shot: Shot, name: string): Promise<void> {
  for (let part = 1; part <= MOST_PARTS; part += 1) {
    await shot(page, part === 1 ? name : `${name}-${part}`);
    const hasMoved = await page.evaluate(() => {
      const isLong = (it: Element) => it.scrollHeight > it.clientHeight + 8;
      const scrolls = (it: Element) => /auto|scroll/.test(getComputedStyle(it).overflowY);
      const inner = [...document.querySelectorAll('div, main')].find(
        (it) => isLong(it) && scrolls(it) && it.clientHeight > innerHeight / 2,
      );
      const scroller = inner ?? document.documentElement;
      const before = scroller.scrollTop;
      scroller.scrollBy(0, innerHeight * 0.85);
      return scroller.scrollTop - before > 8;
    });
    if (!hasMoved) return;
  }
}

export async function begin(page: Page, { url }: { url: string }): Promise<void> {
  await page.goto(`${url}/?c=new`);
  await page.getByPlaceholder('Message STOLAS...').waitFor();
}

export const lastReply = (page: Page) => page.locator('[data-role=assistant]').last();

/** Sends a message and waits for the end of its reply. */
export async function ask(page: Page, text: string): Promise<void> {
  const replies = page.locator('[data-role=assistant][data-message-id]');
  const before = (await replies.count())
    ? await replies.last().getAttribute('data-message-id')
    : '';
  await page.getByPlaceholder('Message STOLAS...').fill(text);
  await page.getByRole('button', { name: /^Send/ }).click();
  await page.waitForFunction((known) => {
    const last = [...document.querySelectorAll<HTMLElement>('[data-role=assistant]')].at(-1);
    const { messageId, status } = last?.dataset ?? {};
    return messageId && messageId !== known && status === 'complete';
  }, before);
}

/** Opens the sidebar where it is a drawer. */
export async function openSidebar(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: 'Open sidebar' });
  if (await menu.isVisible()) await menu.click();
  await page.getByPlaceholder('Search conversations...').waitFor();
}

/** Makes the page see the signed-in user with these fields. */
export async function pretend(page: Page, fields: Partial<User>): Promise<void> {
  await page.route('**/api/auth/user', async (route) => {
    const answer = await route.fetch();
    const signedIn: User = await answer.json();
    await route.fulfill({ response: answer, json: { ...signedIn, ...fields } });
  });
}
