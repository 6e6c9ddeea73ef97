import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { WIDE } from './product.ts';
import { shot } from './shot.ts';
import {
  ask,
  completes,
  distanceToEnd,
  lastReply,
  messageOf,
  send,
  textOf,
  whileStreaming,
} from './steps.ts';

const { guest } = await sharedProduct();

/** The height of the fade at the top of the thread, px. */
const FADE_PX = 16;
/** The free space below the last message at the end, px. */
const END_PX = 56;

/** The distance of the user's last message from the top of the thread, px. */
const placeOf = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const thread = document.querySelector('[data-messages]');
    const message = [...document.querySelectorAll('[data-role=user]')].at(-1);
    if (!thread || !message) return Number.NaN;
    return Math.round(message.getBoundingClientRect().top - thread.getBoundingClientRect().top);
  });

interface Sight {
  place: number;
  /** Of the thread. */
  scrollTop: number;
  /** The distance of the end of the last reply from the bottom of the view, px. */
  left: number;
}

/** Records each drawn state of the last message and the last reply. @returns a function that reads them */
async function watch(page: Page): Promise<() => Promise<Sight[]>> {
  await page.evaluate(() => {
    const sights: Sight[] = [];
    Object.assign(window, { sights });
    const look = () => {
      const thread = document.querySelector('[data-messages]');
      const message = [...document.querySelectorAll('[data-role=user]')].at(-1);
      const reply = [...document.querySelectorAll('[data-role=assistant]')].at(-1);
      if (thread && message && reply) {
        const { top, bottom } = thread.getBoundingClientRect();
        sights.push({
          place: Math.round(message.getBoundingClientRect().top - top),
          scrollTop: thread.scrollTop,
          left: Math.round(bottom - reply.getBoundingClientRect().bottom),
        });
      }
      requestAnimationFrame(look);
    };
    look();
  });
  return () => page.evaluate(() => (window as unknown as { sights: Sight[] }).sights);
}

async function begin() {
  const arrived = await guest({ ...WIDE, reducedMotion: 'reduce' });
  await ask(arrived.page, '/markdown');
  return arrived;
}

it('a sent message stands at the top and its reply grows below; a reply that fills the view is followed without a jump', async () => {
  const { visitor, page } = await begin();
  await ask(page, 'A short one');
  expect(await placeOf(page)).toBe(FADE_PX);
  expect(await distanceToEnd(page)).toBeLessThan(2);
  await shot(page, 'pinned', { phone: true });

  const sights = await watch(page);
  await ask(page, '/long 12');
  await expect.poll(() => distanceToEnd(page)).toBeLessThan(2);
  expect(await page.getByRole('button', { name: 'Jump to latest' }).count()).toBe(0);
  const seen = await sights();
  const filled = seen.findIndex(({ place }) => place !== FADE_PX);
  expect(filled).toBeGreaterThan(0);
  // Until then the reply and what stays free below it fit into the view.
  expect(seen.slice(0, filled).every(({ left }) => left >= END_PX)).toBe(true);
  const steps = seen.slice(1).map(({ scrollTop }, n) => scrollTop - (seen[n]?.scrollTop ?? 0));
  // Fractions of a pixel are rounded.
  expect(Math.min(...steps)).toBeGreaterThanOrEqual(-1);
  expect(visitor.errors).toEqual([]);
});

it('a message that is sent from far above, another reply and an edited message stand at the top; a reload shows the end', async () => {
  const { visitor, page } = await begin();
  await ask(page, '/markdown');
  await page.locator('[data-messages]').press('Home');
  await page.locator('[data-messages]').evaluate((it) => it.scrollTo({ top: 0 }));
  await ask(page, 'From above');
  await expect.poll(() => placeOf(page)).toBe(FADE_PX);

  await page.mouse.move(850, 400);
  await page.mouse.wheel(0, -200);
  await expect.poll(() => placeOf(page)).toBe(FADE_PX + 200);
  await lastReply(page).getByRole('button', { name: 'Regenerate' }).click();
  await lastReply(page).getByRole('group', { name: 'Version 2 of 2' }).waitFor();
  await completes(page);
  await expect.poll(() => placeOf(page)).toBe(FADE_PX);

  await messageOf(page, 'From above').getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: 'Edit message' }).fill('Said in another way');
  await page.keyboard.press('Enter');
  await messageOf(page, 'Said in another way').waitFor();
  await completes(page);
  await expect.poll(() => placeOf(page)).toBe(FADE_PX);
  expect(await distanceToEnd(page)).toBeLessThan(2);

  await page.reload();
  await expect.poll(() => textOf(page)).toContain('Said in another way');
  await expect.poll(() => distanceToEnd(page)).toBeLessThan(30);
  expect(await placeOf(page)).toBeGreaterThan(FADE_PX);
  expect(visitor.errors).toEqual([]);
});

it('a reader who scrolls up while a reply fills the view stays there, and jumps to the latest', async () => {
  const { visitor, page } = await begin();
  await send(page, '/long 16 10');
  await messageOf(page, '/long 16 10').waitFor();
  await expect.poll(() => placeOf(page)).toBeLessThan(0);
  await page.mouse.move(850, 400);
  await page.mouse.wheel(0, -400);
  const jump = page.getByRole('button', { name: 'Jump to latest' });
  await jump.waitFor();
  const stood = await placeOf(page);
  const length = (await textOf(page)).length;
  await whileStreaming(page, { atLeast: length + 500 });
  expect(await placeOf(page)).toBe(stood);
  await jump.click();
  await expect.poll(() => distanceToEnd(page)).toBeLessThan(60);
  await whileStreaming(page, { atLeast: length + 1_000 });
  await expect.poll(() => distanceToEnd(page)).toBeLessThan(60);
  expect(visitor.errors).toEqual([]);
});

it('what is read stays where it is when the thread becomes narrower and wider', async () => {
  const { visitor, page } = await begin();
  await ask(page, '/long 6');
  await page.mouse.move(850, 400);
  await page.mouse.wheel(0, -1_500);
  await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
  /** The text at the reading position, and its position. */
  const read = page.locator('.reply :is(p, li, h2, h3, tr)').filter({ visible: true });
  const eye = await page
    .locator('[data-messages]')
    .evaluate((it) => it.getBoundingClientRect().top + it.clientHeight * 0.3);
  const tops = () => read.evaluateAll((all) => all.map((it) => it.getBoundingClientRect().bottom));
  let stood: number[] = [];
  await expect
    .poll(async () => {
      const former = stood;
      stood = await tops();
      return former.length > 0 && former.every((top, n) => top === stood[n]);
    })
    .toBe(true);
  const text = await read.nth(stood.findIndex((bottom) => bottom > eye)).elementHandle();
  const placeOfText = async () => (await text?.boundingBox())?.y ?? Number.NaN;
  const place = await placeOfText();
  for (const width of [800, 1_440]) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => page.evaluate(() => innerWidth)).toBe(width);
    await expect.poll(async () => Math.abs((await placeOfText()) - place)).toBeLessThan(30);
  }
  expect(visitor.errors).toEqual([]);
});
