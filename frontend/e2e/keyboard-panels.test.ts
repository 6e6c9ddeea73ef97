import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { startEchoProvider } from './echo-provider.ts';
import { press, tabTo } from './keyboard-steps.ts';
import { ownProduct } from './open-product.ts';
import { WIDE } from './product.ts';
import { ask, button, expectFocus, lastReply } from './steps.ts';

// Uses the panels and editors by keyboard alone. The model echoes its input.
const provider = await startEchoProvider();
afterAll(() => provider.stop());
const { url, home } = await ownProduct(provider.settings);

const html = (text: string) => `\`\`\`html\n<h1>Clock</h1><p>${text}</p>\n\`\`\``;

const enter = () =>
  home({
    ...WIDE,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

it('code and replies are copied, an artifact opened, its versions turned, and closed', async () => {
  const { visitor, page } = await enter();
  await ask(page, html('one'));
  await ask(page, html('two'));
  await press(lastReply(page).getByRole('button', { name: 'Copy code' }));
  await expect.poll(() => copied(page)).toBe('<h1>Clock</h1><p>two</p>');
  await press(button(lastReply(page), 'Copy'), 'Tab');
  await expect.poll(() => copied(page)).toContain('```html');

  const opener = button(lastReply(page), 'Open');
  await press(opener);
  const panel = page.getByRole('complementary', { name: 'Artifact' });
  await panel.getByText('2/2').waitFor();
  await press(panel.getByRole('button', { name: 'Earlier version' }), 'Tab');
  await panel.getByText('1/2').waitFor();
  // The first version has no earlier one: the button has no effect now and keeps the focus.
  await expectFocus(panel.getByRole('button', { name: 'Earlier version' }));
  await tabTo(panel.getByRole('tab', { name: 'Preview' }), 'Tab');
  await page.keyboard.press('ArrowRight');
  await panel.getByRole('figure', { name: 'Code, HTML' }).waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await expectFocus(opener);
  expect(visitor.errors).toEqual([]);
});

it('the weights of a fusion and the traits of a persona are set', async () => {
  const { visitor, page } = await enter();
  await page.goto(`${url}/personas?fuse`);
  const choose = async (name: string, persona: string) => {
    await tabTo(page.getByLabel(name, { exact: true }), 'Tab');
    await page.keyboard.type(persona);
  };
  await choose('Persona A', 'Editor');
  await choose('Persona B', 'Tutor');
  const share = page.getByRole('slider', { name: 'Share of Editor and Tutor' });
  await tabTo(share);
  for (let press = 0; press < 4; press += 1) await page.keyboard.press('Shift+ArrowRight');
  expect(await share.getAttribute('aria-valuenow')).toBe('70');
  await page.getByText('From A').first().waitFor();

  await page.goto(`${url}/personas?id=new`);
  await tabTo(page.getByLabel('Name', { exact: true }), 'Tab');
  await page.keyboard.type('Ada');
  const warmth = page.getByRole('slider', { name: 'Warmth' });
  await tabTo(warmth, 'Tab');
  const before = Number(await warmth.inputValue());
  await page.keyboard.press('ArrowRight');
  expect(Number(await warmth.inputValue())).toBeGreaterThan(before);
  await press(page.getByRole('button', { name: 'Save' }), 'Tab');
  await page.getByRole('list', { name: 'Your personas' }).getByText('Ada').waitFor();
  expect(visitor.errors).toEqual([]);
});
