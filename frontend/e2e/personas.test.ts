import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { press, tabTo } from './keyboard-steps.ts';
import { sharedProduct } from './open-product.ts';
import { shot } from './shot.ts';
import {
  ask,
  barriersInBothThemes,
  button,
  chooseItem,
  expectFocus,
  lastReply,
  textOf,
} from './steps.ts';

// The tests share one page of a Starter user and follow one another.
const { url, subscribe } = await sharedProduct({ RATE_LIMITS: 'false' });
let page: Page;

beforeAll(async () => {
  ({ page } = await subscribe('Starter'));
});

const own = () => page.getByRole('list', { name: 'Your personas' }).getByRole('listitem');
const choose = (name: string, item: string) => chooseItem(page, `Actions for ${name}`, item);
async function remove(name: string): Promise<void> {
  await choose(name, 'Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
}
/** The accessibility errors of the screen in both themes. */
async function inspect(name: string): Promise<string[]> {
  const found = await barriersInBothThemes(page);
  await shot(page, `persona-${name}`, { phone: true });
  return found;
}

describe('a persona', () => {
  it('is created from the welcome card, beside its prompt', async () => {
    await page.goto(url);
    await page.getByRole('link', { name: /Custom Personas/ }).click();
    await page.getByRole('list', { name: 'Ready-made' }).getByText('Tutor').waitFor();
    expect(await inspect('list')).toEqual([]);
    await page.getByRole('button', { name: 'New persona' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Ada');
    await page.getByLabel('Role').fill('A keeper of owls');
    await page.getByLabel('Tone').fill('calm, frank');
    await page.getByLabel('Greeting').fill('Who hoots there?');
    await page.getByLabel('Depth').selectOption('Fast');
    await page.getByText('In this conversation you are “Ada”.').waitFor();
    // No trait was touched.
    expect(
      await page.getByRole('region', { name: 'What the model receives' }).textContent(),
    ).not.toContain('Style:');
    expect(await inspect('editor')).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await own().getByText('A keeper of owls').waitFor();
  });

  it('writes the replies of a conversation, which remembers it', async () => {
    await page.getByRole('button', { name: 'Chat as Ada' }).click();
    await page.getByRole('button', { name: 'Persona: Ada' }).waitFor();
    await page.getByText('Who hoots there?').waitFor();
    await expect.poll(() => page.getByLabel('Depth').inputValue()).toBe('fast');
    expect(await inspect('greeting')).toEqual([]);
    await ask(page, 'Hello owls');
    await expect.poll(() => page.getByText('Who hoots there?').count()).toBe(0);
    await expect.poll(() => textOf(page)).toContain('Ada answers, calm, frank:');
    await lastReply(page).getByText('As Ada').waitFor();
    await page.getByRole('button', { name: 'Persona: Ada' }).waitFor();
    expect(await inspect('chat')).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Persona: Ada' }).waitFor();
    await lastReply(page).getByText('As Ada').waitFor();
  });

  it('is changed for the next reply by keyboard alone', async () => {
    await page.getByRole('button', { name: 'Persona: Ada' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Persona' }).waitFor();
    expect(await inspect('choice')).toEqual([]);
    const none = page.getByRole('button', { name: 'No persona' });
    await expectFocus(none);
    await page.keyboard.press('Enter');
    await button(page, 'Persona').waitFor();
    await ask(page, 'Hello again');
    expect(await textOf(page)).not.toContain('Ada answers');
    expect(await lastReply(page).getByText('As Ada').count()).toBe(0);
  });
});

describe('a character card', () => {
  const card = {
    spec: 'chara_card_v2',
    spec_version: '2.0',
    data: {
      name: 'Owl',
      description: '{{char}} hoots.',
      creator_notes: 'For readers.',
      system_prompt: 'Always hoot.',
      extensions: { other: { kept: true } },
    },
  };

  it('is shown before it is imported, and comes back as it was', async () => {
    await page.goto(`${url}/personas`);
    await page.getByRole('button', { name: 'Import card' }).click();
    const buffer = Buffer.from(JSON.stringify(card));
    await page
      .getByLabel('Choose a file')
      .first()
      .setInputFiles({ name: 'owl.json', mimeType: 'application/json', buffer });
    await page.getByText('Always hoot.').waitFor();
    expect(await inspect('import')).toEqual([]);
    await page.getByRole('checkbox', { name: 'Use these instructions' }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    await own().getByText('Owl', { exact: true }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      choose('Owl', 'Export as card (V3)'),
    ]);
    expect(download.suggestedFilename()).toBe('Owl.json');
    const exported = JSON.parse(await readFile(await download.path(), 'utf8')) as typeof card;
    expect(exported).toMatchObject({ spec: 'chara_card_v3', data: card.data });
  });
});

describe('two personas', () => {
  it('are fused, with the origin of each line', async () => {
    await page.getByRole('button', { name: 'Fuse personas' }).click();
    await page.getByLabel('Persona A').selectOption('Editor');
    await page.getByLabel('Persona B').selectOption('Tutor');
    await page.getByText('From A, B').first().waitFor();
    await page.getByRole('slider', { name: 'Share of Editor and Tutor' }).focus();
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.getByLabel('Name of the fusion').fill('Both');
    await page.getByText('“Both”').waitFor();
    expect(await inspect('fusion')).toEqual([]);
    await page.getByRole('button', { name: 'Save as a persona' }).click();
    await own().getByText('Both').waitFor();
    await own().getByText('56% Editor · 44% Tutor').waitFor();
  });
});

describe('a trial of a fusion', () => {
  const column = (name: string) => page.getByRole('region', { name, exact: true });

  it('shows the cost, then the replies side by side, and leaves nothing behind', async () => {
    await page.getByRole('button', { name: 'Fuse personas' }).click();
    await page.getByLabel('Persona A').selectOption('Ada');
    await page.getByLabel('Persona B').selectOption('Tutor');
    // One bar is dragged: both shares follow.
    const bar = page.getByRole('slider', { name: 'Share of Ada and Tutor' });
    const handle = await bar.boundingBox();
    if (!handle) throw new Error('The bar is missing.');
    await page.mouse.move(handle.x + 4, handle.y + 20);
    await page.mouse.down();
    await page.mouse.move(handle.x + 150, handle.y + 20);
    await page.mouse.up();
    const share = Number(await bar.getAttribute('aria-valuenow'));
    expect(share).toBeGreaterThan(55);
    const fusion = `${share}% Ada · ${100 - share}% Tutor`;
    expect(await bar.getAttribute('aria-valuetext')).toBe(fusion);
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello zebra');
    await page.getByText(/^Reserves [\d,]+ tokens of your plan\./).waitFor();
    await page.getByRole('button', { name: 'Send to all 3' }).click();
    for (const name of ['Ada', 'Tutor', fusion])
      await column(name).locator('[data-status=complete]').waitFor();
    await expect.poll(() => column('Ada').textContent()).toContain('Ada answers, calm, frank:');
    expect(await inspect('trial')).toEqual([]);
    await page.getByRole('button', { name: 'All personas' }).click();
    const { list, found } = await page.evaluate(async () => {
      const read = async (path: string) => (await fetch(`/api/${path}`)).text();
      return { list: await read('conversations'), found: await read('search?q=zebra') };
    });
    expect(list).toContain('Hello owls');
    expect(list).not.toContain('zebra');
    expect(found).not.toContain('zebra');
  });
});

describe('without a mouse', () => {
  it('a persona is made, and chatted with', async () => {
    await remove('Both');
    await expect.poll(() => own().count()).toBe(2);
    await page.reload();
    await own().first().waitFor();
    await press(button(page, 'New persona'), 'Tab');
    await tabTo(page.getByLabel('Name', { exact: true }), 'Tab');
    await page.keyboard.type('Grace');
    await press(button(page, 'Save'), 'Tab');
    await own().getByText('Grace').waitFor();
    await press(button(page, 'Chat as Grace'), 'Tab');
    await page.getByRole('button', { name: 'Persona: Grace' }).waitFor();
    await ask(page, 'Hello Grace');
    await lastReply(page).getByText('As Grace').waitFor();
    await page.getByRole('link', { name: 'Personas', exact: true }).click();
    await remove('Grace');
    await expect.poll(() => own().count()).toBe(2);
  });
});

describe('the limit of the plan', () => {
  it('leads to the plans', async () => {
    await choose('Tutor', 'Duplicate');
    await own().getByText('Tutor (copy)').waitFor();
    await choose('Editor', 'Duplicate');
    await page.getByRole('link', { name: 'See the plans' }).waitFor();
    await page.getByText('3 of 3 personas').waitFor();
    expect(await inspect('full')).toEqual([]);
    await page.getByRole('button', { name: 'New persona' }).click();
    await page.getByText('Your plan has no room for another one.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Fourth');
    await page.getByRole('button', { name: 'Save' }).click();
    // Without scrolling: the refusal stands beside the pressed button.
    const refused = page.getByText('Your plan includes no more personas. Delete one or upgrade.');
    await refused.waitFor();
    const { top, bottom } = await refused.evaluate((it) => it.getBoundingClientRect().toJSON());
    expect(top).toBeGreaterThan(0);
    expect(bottom).toBeLessThan(page.viewportSize()?.height ?? 0);
    expect(await inspect('refused')).toEqual([]);
    await page.getByRole('button', { name: 'All personas' }).click();
    await remove('Tutor (copy)');
    await expect.poll(() => own().count()).toBe(2);
    await choose('Editor', 'Duplicate');
    await own().getByText('Editor (copy)').waitFor();
  });
});
