import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newEmail } from '../../backend/test/new-user.ts';
import { press, tabTo } from './keyboard-steps.ts';
import { sharedProduct } from './open-product.ts';
import { type Visitor } from './product.ts';
import {
  button,
  completes,
  composer,
  expectFocus,
  lastReply,
  messageOf,
  statusOf,
  whileStreaming,
} from './steps.ts';
import { textFile, uploader } from './upload-steps.ts';

// Covers only what other tests do not do by keyboard.
const { arrive } = await sharedProduct();

/** Types a message where the focus is and waits for the whole reply. */
async function say(page: Page, text: string): Promise<void> {
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await messageOf(page, text).waitFor();
  await completes(page);
}

/** A guest who never touched a mouse, with the focus in the message box. */
async function enterAsGuest(visitor: Visitor): Promise<Page> {
  const page = await visitor.open();
  await press(page.getByRole('link', { name: 'Enter STOLAS' }).first(), 'Tab');
  await press(button(page, 'Continue as Guest (Demo Mode)'), 'Tab');
  await expectFocus(composer(page));
  return page;
}

it('a guest enters, sends, stops, rates, regenerates, edits and reads the details', async () => {
  const visitor = await arrive({ reducedMotion: 'reduce' });
  const page = await enterAsGuest(visitor);
  await say(page, 'What do owls eat?');
  await expectFocus(composer(page));

  await press(button(lastReply(page), 'Bad answer'));
  await expectFocus(button(page, 'Not correct'));
  await tabTo(page.getByRole('textbox', { name: 'What was wrong with it?' }), 'Tab');
  await page.keyboard.type('Too short');
  await page.keyboard.press('Enter');
  const rated = button(lastReply(page), 'Bad answer');
  await expectFocus(rated);
  await expect.poll(() => rated.getAttribute('aria-pressed')).toBe('true');

  await press(button(lastReply(page), 'Details'), 'Tab');
  await page.getByRole('dialog', { name: 'Details of this reply' }).waitFor();
  await page.keyboard.press('Escape');
  await expectFocus(button(lastReply(page), 'Details'));

  await press(button(lastReply(page), 'Regenerate'));
  await page.getByText('2/2').waitFor();
  await completes(page);

  await press(button(messageOf(page, 'What do owls eat?'), 'Edit'));
  await expectFocus(page.getByRole('textbox', { name: 'Edit message' }));
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('What do ravens eat?');
  await page.keyboard.press('Enter');
  await messageOf(page, 'What do ravens eat?').getByText('2/2').waitFor();
  await completes(page);

  await page.keyboard.press('Control+Shift+O');
  await expectFocus(composer(page));
  await page.keyboard.type('/long 40 5');
  await page.keyboard.press('Enter');
  await whileStreaming(page, { atLeast: 20 });
  await page.keyboard.press('Escape');
  await expect.poll(() => statusOf(page)).toBe('stopped');
  await expectFocus(composer(page));
  expect(visitor.errors).toEqual([]);
});

it('depth and memory are chosen, kept by the new conversation, and what was saved is taken back', async () => {
  const visitor = await arrive({ reducedMotion: 'reduce' });
  const page = await enterAsGuest(visitor);
  const depth = page.getByRole('combobox', { name: 'Depth' });
  await tabTo(depth, 'Tab');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => depth.inputValue()).toBe('deep');
  await tabTo(composer(page));
  await say(page, 'I live in Trondheim.');
  await expect.poll(() => depth.inputValue()).toBe('deep');

  const chip = lastReply(page).locator('[data-memory-chip]');
  await chip.waitFor();
  await press(chip.getByRole('button').or(chip).first());
  await page.getByRole('dialog', { name: 'Memories of this reply' }).waitFor();
  await page.keyboard.press('Escape');
  await press(button(lastReply(page), 'Undo'), 'Tab');
  await lastReply(page).getByText('Undone').waitFor();
  expect(visitor.errors).toEqual([]);
});

it('a file is attached, removed, attached again and cited, and its source opened and closed', async () => {
  const visitor = await arrive({ reducedMotion: 'reduce' });
  const page = await enterAsGuest(visitor);
  const name = 'handbook.txt';
  const text = 'The observatory on Mount Seregno was closed in 1931 because of flooding.';
  /**
   * Adds a file through the system's dialog of the paperclip, or through the uploader when that dialog is cancelled.
   */
  const attach = async (from: 'paperclip' | 'uploader') => {
    let chooser = page.waitForEvent('filechooser');
    await press(button(page, 'Attach files'), 'Tab');
    if (from === 'uploader') {
      await chooser;
      chooser = page.waitForEvent('filechooser');
      await press(button(page, 'browse files'), 'Tab');
    }
    await (await chooser).setFiles(textFile(name, text));
    await button(page, `Remove ${name}`).waitFor();
    await uploader(page).waitFor({ state: 'hidden' });
    await expectFocus(composer(page));
  };
  await attach('uploader');
  await press(button(page, `Remove ${name}`));
  await button(page, `Remove ${name}`).waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  await expectFocus(composer(page));
  await attach('paperclip');
  await say(page, 'Why was the observatory on Mount Seregno closed?');
  const viewer = page.getByRole('complementary', { name: 'File viewer' });
  await press(lastReply(page).locator('[data-source]').first());
  await viewer.getByText('closed in 1931').waitFor();
  await page.keyboard.press('Escape');
  await viewer.waitFor({ state: 'detached' });
  expect(visitor.errors).toEqual([]);
});

it('a user registers, pays, changes the theme, exports, signs out and signs in again', async () => {
  const visitor = await arrive({ reducedMotion: 'reduce' });
  const email = newEmail();
  const password = 'a long enough password';
  const page = await visitor.open('/login');
  await press(button(page, "Don't have an account? Sign up"), 'Tab');
  await tabTo(page.getByLabel('First Name'));
  for (const typed of ['Ada', 'Lovelace', email]) {
    await page.keyboard.type(typed);
    await page.keyboard.press('Tab');
  }
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await press(button(page, 'Choose Pro'), 'Tab');
  await press(button(page, 'Pay'), 'Tab');
  await expectFocus(composer(page));

  await press(page.getByRole('link', { name: 'Settings' }));
  const dark = page.getByRole('radio', { name: 'Dark' });
  await tabTo(page.getByRole('radio', { name: 'System' }), 'Tab');
  for (let n = 0; n < 3 && !(await dark.isChecked()); n += 1) {
    await page.keyboard.press('ArrowRight');
  }
  await expect.poll(() => page.locator('html').getAttribute('class')).toContain('dark');
  const chooser = page.waitForEvent('filechooser');
  await press(button(page, 'Import a conversation'), 'Tab');
  const markdown = Buffer.from('# Nights\n\n## You\n\nHello\n\n## Assistant\n\nGood night');
  await (await chooser).setFiles({ name: 'n.md', mimeType: 'text/markdown', buffer: markdown });
  await page.getByText('Good night').waitFor();

  for (const [format, extension] of [
    ['Markdown', 'md'],
    ['JSON', 'json'],
  ]) {
    await press(button(page, 'Actions for this conversation'), 'Tab');
    const download = page.waitForEvent('download');
    await press(page.getByRole('menuitem', { name: `Export as ${format}` }), 'ArrowDown');
    expect((await download).suggestedFilename()).toBe(`Nights.${extension}`);
  }

  await press(button(page, 'Sign Out'));
  await tabTo(page.getByLabel('Email'), 'Tab');
  await page.keyboard.type(email);
  await tabTo(page.getByLabel('Password', { exact: true }), 'Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await expectFocus(composer(page));
});
