import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { startEchoProvider } from './echo-provider.ts';
import { ownProduct } from './open-product.ts';
import { PHONE, WIDE } from './product.ts';
import { shot } from './shot.ts';
import {
  ask,
  barriers,
  barriersInBothThemes,
  button,
  chooseItem,
  expectWhole,
  lastReply,
  messageOf,
} from './steps.ts';

// The model echoes its input, so the tests choose the replies.
const provider = await startEchoProvider();
afterAll(provider.stop);
const { url, arrive, guest } = await ownProduct(provider.settings);

const CODE = `const sentence = '${'a long line of code '.repeat(20)}';`;
const wide = (cell: string) =>
  `|${` ${cell} |`.repeat(12)}\n|${'---|'.repeat(12)}\n|${` ${cell} |`.repeat(12)}`;
const mixed = (title: string, text: string) =>
  `## ${title}\n\n${text} \`${'x'.repeat(60)}\` ${text}\n\n\`\`\`ts\n${CODE}\n\`\`\`\n\n${wide(title)}\n\n- ${text}\n`;
const ARABIC = mixed('مراقبة البوم', 'ما هي أفضل طريقة لمراقبة البوم ليلاً؟');
const HEBREW = mixed('ינשופים בלילה', 'איך אפשר לצפות בינשופים בלילה?');

const SCREENS = {
  '/?c=new': 'Start a new conversation',
  '/memory': 'Nothing is remembered yet',
  '/personas': 'Ready-made',
  '/personas?id=new': 'What the model receives',
  '/personas?fuse': 'Fuse personas',
  '/files': 'No files yet',
  '/settings': 'Appearance',
  '/subscription': 'Choose Your Plan',
} as const;

/** Controls that the notice covers in part. */
const covered = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const notice = document.querySelector('[role=region] li')?.getBoundingClientRect();
    if (!notice) throw new Error('No notice is shown.');
    const isBehind = (control: Element) => {
      const box = control.getBoundingClientRect();
      const [left, right] = [Math.max(box.left, notice.left), Math.min(box.right, notice.right)];
      const [top, bottom] = [Math.max(box.top, notice.top), Math.min(box.bottom, notice.bottom)];
      if (left >= right || top >= bottom) return false;
      // Controls scrolled out of their box are left out.
      return document.elementsFromPoint((left + right) / 2, (top + bottom) / 2).includes(control);
    };
    return [...document.querySelectorAll('button, a, textarea')]
      .filter((it) => !it.closest('[role=region] li') && isBehind(it))
      .map((it) => it.outerHTML.slice(0, 120));
  });

it('on a phone the notice that the browser is offline covers no control', async () => {
  const { visitor, page } = await guest({ ...PHONE, reducedMotion: 'reduce' });
  await ask(
    page,
    Array.from({ length: 4 }, (_, i) => mixed(`Part ${i}`, 'Some words.')).join('\n'),
  );
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('/toast-')),
  );
  await visitor.context.setOffline(true);
  await page.locator('[role=region] li', { hasText: 'You are offline.' }).waitFor();
  const buttons = page.locator('main .markdown').getByRole('button');
  expect(await buttons.count()).toBeGreaterThan(3);
  for (const button of await buttons.all()) {
    await button.evaluate((it) => it.scrollIntoView({ block: 'start' }));
    expect(await covered(page)).toEqual([]);
  }
});

it.each([
  ['on a wide screen', WIDE, 720],
  ['on a phone', PHONE, 328],
] as const)(
  '%s text, code, tables and the messages of the user end at one edge',
  async (_name, options, width) => {
    const { page } = await guest({ ...options, reducedMotion: 'reduce' });
    const small = '| a | b |\n|---|---|\n| 1 | 2 |';
    await ask(page, `${mixed('Owls', 'Some words about the night. '.repeat(20))}\n\n${small}`);
    const eye = await lastReply(page).locator('svg').first().boundingBox();
    const words = await lastReply(page).locator('.markdown').boundingBox();
    expect((eye?.x ?? 0) + (eye?.width ?? 0)).toBeLessThan(words?.x ?? 0);
    const boxes = await page.evaluate(() => {
      const boxOf = (element: Element) => element.getBoundingClientRect();
      const reply = [...document.querySelectorAll('[data-role=assistant] .markdown > *')];
      const bubble = document.querySelector('[data-role=user] .bg-bubble');
      return [...reply, ...(bubble ? [bubble] : [])].map(boxOf).map(({ left, right }) => {
        return { left: Math.round(left), right: Math.round(right) };
      });
    });
    expect(boxes.length).toBeGreaterThan(6);
    expect(new Set(boxes.map(({ right }) => right)).size).toBe(1);
    expect((boxes[0]?.right ?? 0) - (boxes[0]?.left ?? 0)).toBe(width);
    await shot(page, 'column');
  },
);

it('the actions of the last reply are visible without the pointer, those of earlier ones with it', async () => {
  const { page } = await guest({ reducedMotion: 'reduce' });
  await ask(page, 'One');
  await ask(page, 'Two');
  await page.mouse.move(2, 2);
  const isShown = (n: number) =>
    page
      .getByRole('button', { name: 'Regenerate' })
      .nth(n)
      .evaluate((it) => it.checkVisibility({ opacityProperty: true }));
  await expect.poll(() => isShown(1)).toBe(true);
  await expect.poll(() => isShown(0)).toBe(false);
  await page.locator('[data-role=assistant]').first().hover();
  await expect.poll(() => isShown(0)).toBe(true);
});

it('in a low window each item of a menu and of the sidebar can be reached', async () => {
  const { page } = await guest({ ...PHONE, viewport: { width: 844, height: 390 } });
  await ask(page, 'Owls');
  const isInView = async (name: string, role: 'menuitem' | 'button' | 'link') => {
    const item = page.getByRole(role, { name }).first();
    // As by a finger: by a box that scrolls.
    await item.evaluate((it) => it.scrollIntoView({ block: 'nearest' }));
    const box = await item.boundingBox();
    return box !== null && box.y >= 0 && box.y + box.height <= 390;
  };
  await button(page, 'Actions for this conversation').click();
  expect(await isInView('Delete', 'menuitem')).toBe(true);
  await page.keyboard.press('Escape');
  expect(await isInView('Sign Out', 'button')).toBe(true);
  expect(await isInView('Owls', 'link')).toBe(true);
});

it('where the system chooses the colours, what is chosen has an outline', async () => {
  const visitor = await arrive({ ...WIDE, forcedColors: 'active' });
  const page = await visitor.enterAsGuest();
  await page.goto(`${url}/settings`);
  const outlineOf = (theme: string) =>
    page
      .locator('label', { has: page.getByRole('radio', { name: theme, exact: true }) })
      .evaluate((it) => getComputedStyle(it).outlineStyle);
  await expect.poll(() => outlineOf('System')).toBe('solid');
  expect(await outlineOf('Light')).toBe('none');
});

describe.each([
  ['on a wide screen', WIDE],
  ['on a phone', PHONE],
] as const)('%s', (_name, options) => {
  it('the editor of a message near the composer is in view with its buttons, also while it grows', async () => {
    const { page } = await guest({ ...options, reducedMotion: 'reduce' });
    await ask(page, mixed('Owls', 'Some words.'));
    await ask(page, 'A question near the end');
    await ask(page, mixed('Nights', 'Some words.'));
    const message = messageOf(page, 'A question near the end');
    await page.locator('[data-messages]').hover();
    await page.mouse.wheel(0, -100);
    // Its last line stands just above the composer.
    const toEndOfView = () =>
      message.evaluate((it) => {
        it.scrollIntoView({ block: 'end' });
        const view = it.closest('[data-messages]')?.getBoundingClientRect();
        return Math.abs((view?.bottom ?? 0) - it.getBoundingClientRect().bottom);
      });
    await expect.poll(toEndOfView).toBeLessThan(2);
    // Not by the pointer, which would scroll first.
    const edit = message.getByRole('button', { name: 'Edit' });
    await edit.evaluate((it) => it instanceof HTMLElement && it.click());
    const editor = page.getByRole('textbox', { name: 'Edit message' });
    const send = page.locator('form', { has: editor }).getByRole('button', { name: 'Send' });
    const isOnTop = () =>
      send.evaluate((it) => {
        const { left, top, width, height } = it.getBoundingClientRect();
        const at = document.elementFromPoint(left + width / 2, top + height - 1);
        return at !== null && it.contains(at);
      });
    await expect.poll(isOnTop).toBe(true);
    await shot(page, 'edit');
    await editor.fill('A line\n'.repeat(12));
    await expect.poll(isOnTop).toBe(true);
  });

  it('a title that is too long to be saved stays in the window with what is wrong', async () => {
    const { page } = await guest({ ...options, reducedMotion: 'reduce' });
    await ask(page, 'Owls');
    await chooseItem(page, 'Actions for this conversation', 'Rename');
    const field = page.getByRole('textbox', { name: 'Title' });
    await field.fill('A long title about owls and nights. '.repeat(4));
    await field.press('Enter');
    const problem = page.locator('header').getByRole('alert');
    await expect.poll(() => problem.textContent()).not.toBe('');
    const top = await page.locator('main > header').evaluate((header) => {
      return header.getBoundingClientRect().top;
    });
    const [box, note] = [await field.boundingBox(), await problem.boundingBox()];
    expect(box!.y).toBeGreaterThanOrEqual(top);
    expect(note!.y).toBeGreaterThanOrEqual(box!.y + box!.height);
    await expectWhole(page, 'rename');
    await shot(page, 'rename');
  });
});

describe.each([
  // 1440 x 900 at 200% is 720 x 450.
  ['at 200% zoom', { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 }],
  ['on a phone', PHONE],
  ['on a wide screen', WIDE],
])('%s', (_name, options) => {
  it('no screen is cut off or has barriers in either theme', async () => {
    const visitor = await arrive({ ...options, reducedMotion: 'reduce' });
    const page = await visitor.enterAsGuest();
    await expectWhole(page, 'home');
    for (const [screen, ready] of Object.entries(SCREENS)) {
      await page.goto(url + screen);
      await page.getByText(ready, { exact: true }).first().waitFor();
      expect({ screen, found: await barriersInBothThemes(page) }).toEqual({ screen, found: [] });
      await expectWhole(page, screen);
    }
  });

  it('Arabic and Hebrew with code and tables run from right to left, and nothing is cut off', async () => {
    const visitor = await arrive({ ...options, reducedMotion: 'reduce' });
    const page = await visitor.enterAsGuest();
    for (const text of [ARABIC, HEBREW]) {
      await page.goto(`${url}/?c=new`);
      await ask(page, text);
      await expectWhole(page, text.slice(0, 20));
      const directions = await lastReply(page).evaluate((reply) => {
        const of = (selector: string) => {
          const found = reply.querySelector(selector);
          return found && getComputedStyle(found).direction;
        };
        return { heading: of('.markdown h2'), list: of('li'), table: of('table'), code: of('pre') };
      });
      expect(directions).toEqual({ heading: 'rtl', list: 'rtl', table: 'rtl', code: 'ltr' });
      expect(await barriers(page)).toEqual([]);
    }
  });
});
