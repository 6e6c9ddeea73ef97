import axe, { type Result } from 'axe-core';
import type { Locator, Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { gate } from './gate.ts';
import { shot } from './shot.ts';

/** Ends fades and moves; endless animations, such as a spinner, continue. */
const endAnimations = (page: Page): Promise<void> =>
  page.evaluate(() => {
    for (const animation of document.getAnimations())
      if (animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
        animation.finish();
  });

/** Popovers and Uppy's dialog stand outside of the page's landmarks. */
const FLOATING = /^region: <div [^>]*(?:data-radix-popper|uppy-Root)/;

/** Without what `barriers` does not read: passed checks, and the selector of each element. */
const FIND_VIOLATIONS = `axe.run({ resultTypes: ['violations'], selectors: false }).then((found) => found.violations)`;

/**
 * Accessibility errors that axe finds on the page (impact moderate and above), as rule and element. Halfway through a
 * fade text would have less contrast.
 */
export async function barriers(page: Page): Promise<string[]> {
  await endAnimations(page);
  const isLoaded = await page.evaluate<boolean>(`'axe' in window`);
  if (!isLoaded) await page.evaluate(axe.source);
  const violations = await page.evaluate<Result[]>(FIND_VIOLATIONS);
  return violations
    .filter(({ impact }) => impact !== 'minor')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`))
    .filter((found) => !FLOATING.test(found));
}

/** Expects no accessibility errors of the screen, and takes its picture. */
export async function checkScreen(
  page: Page,
  picture: string,
  options?: Parameters<typeof shot>[2],
): Promise<void> {
  expect(await barriers(page)).toEqual([]);
  await shot(page, picture, options);
}

/** The accessibility errors in both themes; a page follows that of the system while it is shown. */
export async function barriersInBothThemes(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction(
      (isDark) => document.documentElement.classList.contains('dark') === isDark,
      colorScheme === 'dark',
    );
    found.push(...(await barriers(page)).map((barrier) => `${colorScheme}: ${barrier}`));
  }
  return found;
}

export const button = (within: Page | Locator, name: string | RegExp) =>
  within.getByRole('button', { name, exact: true });

export const composer = (page: Page) => page.getByPlaceholder('Message STOLAS...');

export const pathOf = (page: Page): string => new URL(page.url()).pathname;

export const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluate((it) => it === document.activeElement);

export const expectFocus = (target: Locator) => expect.poll(() => isFocused(target)).toBe(true);

/** Opens a menu by its button and chooses an item. */
export async function chooseItem(page: Page, opener: string, item: string | RegExp): Promise<void> {
  await button(page, opener).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** The answer of the API to the page's user. */
export async function get<T>(page: Page, path: string): Promise<T> {
  const answer = await page.request.get(new URL(`/api${path}`, page.url()).href);
  return (await answer.json()) as T;
}

/** Handles the requests of a page with this method; the others go on. */
export const routeOnly = (
  page: Page,
  method: string,
  url: string | RegExp,
  handle: (route: Route) => Promise<void>,
) =>
  page.route(url, (route) =>
    route.request().method() === method ? handle(route) : route.continue(),
  );

/** Holds back the requests of a page with this method until the returned function is called. */
export async function hold(page: Page, method: string, url: string | RegExp) {
  const { opened, open } = gate();
  await routeOnly(page, method, url, async (route) => {
    await opened;
    // After a reload the answer has no receiver any more.
    await route.continue().catch(() => undefined);
  });
  return open;
}

/** Opens a new conversation on the page that the chat begins with. */
export const newConversation = (page: Page): Promise<void> =>
  button(page, 'Start New Conversation').click();

export async function send(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  // Without a mouse, Enter makes a new line.
  const isTouch = await page.evaluate(() => matchMedia('(pointer: coarse)').matches);
  if (isTouch) await page.getByRole('button', { name: /^Send/ }).click();
  else await page.keyboard.press('Enter');
}

/** The last sent message whose text contains `text`. */
export const messageOf = (page: Page, text: string) =>
  page.locator('[data-role=user]').filter({ hasText: text }).last();

/** The newest reply on the page. */
export const lastReply = (page: Page) => page.locator('[data-role=assistant]').last();

export const statusOf = (page: Page) => lastReply(page).getAttribute('data-status');

export const completes = (page: Page) => expect.poll(() => statusOf(page)).toBe('complete');

export const textOf = async (page: Page) => (await lastReply(page).textContent()) ?? '';

/** Waits until a reply has some text and still runs. */
export async function whileStreaming(page: Page, { atLeast }: { atLeast: number }): Promise<void> {
  const streams = async () => {
    const [status, text] = [await statusOf(page), await textOf(page)];
    return status === 'streaming' && text.length > atLeast;
  };
  await expect.poll(streams).toBe(true);
}

/** Sends a message and waits for the whole reply. */
export async function ask(page: Page, text: string): Promise<void> {
  const before = await lastReplyId(page);
  await send(page, text);
  await expect.poll(() => lastReplyId(page)).not.toBe(before);
  await completes(page);
}

async function lastReplyId(page: Page): Promise<string | null> {
  const replies = page.locator('[data-role=assistant][data-message-id]');
  return (await replies.count()) === 0 ? null : replies.last().getAttribute('data-message-id');
}

/** How far the view of the thread is from its end, in px. */
export const distanceToEnd = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const reply = [...document.querySelectorAll('[data-role=assistant]')].at(-1);
    let box = reply?.parentElement ?? null;
    while (box && !/auto|scroll/.test(getComputedStyle(box).overflowY)) box = box.parentElement;
    return box ? box.scrollHeight - box.scrollTop - box.clientHeight : Number.POSITIVE_INFINITY;
  });

/** The page does not scroll sideways, and no control stands outside of it. */
export async function expectWhole(page: Page, screen: string): Promise<void> {
  const cut = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const isVisible = (it: Element) => it.checkVisibility({ opacityProperty: true });
    // A scrolling box may be wider.
    const scrolls = (it: Element) => /auto|scroll/.test(getComputedStyle(it).overflowX);
    const inScroller = (it: Element | null): boolean =>
      it !== null && it !== document.body && (scrolls(it) || inScroller(it.parentElement));
    const outside = [...document.querySelectorAll('button, a, input, select, textarea, h1, p')]
      .filter((it) => isVisible(it) && !it.closest('.sr-only, [inert]') && !inScroller(it))
      .filter((it) => {
        const { left, right, width } = it.getBoundingClientRect();
        return width > 1 && (left < -1 || right > clientWidth + 1);
      });
    return {
      wider: scrollWidth - clientWidth,
      outside: outside.map((it) => it.outerHTML.slice(0, 120)),
    };
  });
  expect({ screen, ...cut }).toEqual({ screen, wider: 0, outside: [] });
}
