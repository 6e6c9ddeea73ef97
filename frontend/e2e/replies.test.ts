import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { textOfPdf } from './pdf.ts';
import { shot } from './shot.ts';
import { ask, button, chooseItem, lastReply } from './steps.ts';
import { importMarkdown } from './upload-steps.ts';

const { guest, subscribe } = await sharedProduct();

const rating = (page: Page, name: string) =>
  lastReply(page).getByRole('button', { name }).getAttribute('aria-pressed');

/** The content of the clipboard, as text and as HTML. */
const clipboard = (page: Page) =>
  page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const read = async (type: string) =>
      item?.types.includes(type) ? (await item.getType(type)).text() : '';
    return { text: await read('text/plain'), html: await read('text/html') };
  });

describe('a reply', () => {
  it('that is rated in one tab is rated in the other, without a reload', async () => {
    const { visitor, page } = await guest({ reducedMotion: 'reduce' });
    await ask(page, 'What do owls do at night?');
    const other = await visitor.open(page.url());
    await button(lastReply(other), 'Copy').waitFor();

    await lastReply(page).getByRole('button', { name: 'Bad answer' }).click();
    await expect.poll(() => rating(other, 'Bad answer')).toBe('true');
    await page.getByLabel('What was wrong with it?').last().fill('Too short');
    await shot(page, 'feedback');
    // Of two ratings at once the later one counts, so the reason is stored before the other tab rates.
    const stored = page.waitForResponse((response) => response.url().endsWith('/feedback'));
    await page.keyboard.press('Enter');
    expect((await stored).status()).toBe(200);
    await lastReply(other).getByRole('button', { name: 'Good answer' }).click();
    await expect.poll(() => rating(page, 'Good answer')).toBe('true');
    expect(await rating(page, 'Bad answer')).toBe('false');
    await page.reload();
    await expect.poll(() => rating(page, 'Good answer')).toBe('true');
    expect(visitor.errors).toEqual([]);
  });

  it('is copied with a check for 2 seconds and the toast Copied to clipboard, as Markdown and as clean HTML', async () => {
    const { visitor, page } = await guest({
      reducedMotion: 'reduce',
      colorScheme: 'dark',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await ask(page, '/markdown');
    await button(lastReply(page), 'Copy').click();
    await page.getByText('Copied to clipboard', { exact: true }).waitFor();
    const copied = button(lastReply(page), 'Copied');
    await copied.waitFor();
    await copied.waitFor({ state: 'hidden' });
    const { text, html } = await clipboard(page);
    expect(text).toMatch(/^\|.*\|$/m);
    expect(html).toContain('<table>');
    expect(html).toMatch(/<pre><code>[^<]/);
    expect(html).not.toMatch(/style=|class=|<button|<svg/);

    await page.evaluate(async () => {
      await navigator.clipboard.writeText('');
      const reply = [...document.querySelectorAll('[data-role=assistant]')].at(-1);
      if (reply) getSelection()?.selectAllChildren(reply);
      reply?.dispatchEvent(new Event('selectstart', { bubbles: true }));
    });
    // The code that cleans a copy is loaded by the first selection; until then the browser copies by itself.
    const copyHtml = async () => {
      await page.keyboard.press('ControlOrMeta+C');
      return (await clipboard(page)).html;
    };
    await expect.poll(copyHtml).toMatch(/^(?!.*(background|color)).*<table>/s);
    const selected = await clipboard(page);
    expect(selected.text).not.toContain('STOLAS replied');
    expect(selected.html).not.toContain('STOLAS replied');
    expect(visitor.errors).toEqual([]);
  });
});

describe('a conversation of 120 messages', () => {
  const texts = Array.from({ length: 120 }, (_, n) => `Text number ${n} of the observatory.`);

  /** A file in the format of another product. */
  const markdown = `# Nights on Mount Seregno\n\n${texts
    .map((text, n) => `## ${n % 2 === 0 ? 'You' : 'Assistant'}\n\n${text}\n`)
    .join('\n')}`;

  it('is imported from Markdown, and printed whole with its title and nothing else', async () => {
    const { visitor, page } = await subscribe('Starter');
    await importMarkdown(page, markdown, texts.at(-1) ?? '');
    const noteCalls = () =>
      page.evaluate(() => {
        window.print = () => {
          document.body.dataset.printed = String(
            document.querySelectorAll('[data-message-id]').length,
          );
        };
      });
    await noteCalls();
    await chooseItem(page, 'Actions for this conversation', 'Print');
    await expect.poll(() => page.evaluate(() => document.body.dataset.printed)).toBe('120');

    // The browser's own command prints all messages that are loaded, here all of them.
    const printed = await textOfPdf(await page.pdf());
    for (const text of texts) expect(printed).toContain(text);
    expect(printed.match(/Nights on Mount Seregno/g)).toHaveLength(1);
    expect(printed).not.toMatch(/New Chat|Message STOLAS|Settings|Upgrade|not loaded/);

    // After a reload only the last page is loaded. The browser's command prints a hint; the shortcut loads the rest
    // first.
    await page.reload();
    await page.getByText(texts.at(-1) ?? '').waitFor();
    const part = await textOfPdf(await page.pdf());
    expect(part).toContain('Earlier messages are not loaded and are not printed.');
    expect(part).not.toContain(texts[0]);
    await noteCalls();
    await page.keyboard.press('Control+p');
    await expect.poll(() => page.evaluate(() => document.body.dataset.printed)).toBe('120');
    expect(visitor.errors).toEqual([]);
  });
});
