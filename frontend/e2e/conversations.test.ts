import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { PHONE, type VisitorOptions } from './product.ts';
import { ask, barriers, checkScreen, chooseItem, composer, send } from './steps.ts';

const { home } = await sharedProduct();

const row = (page: Page, title: string) => page.locator('nav').getByTitle(title, { exact: true });
const isDark = (page: Page) =>
  page.evaluate(() => document.documentElement.classList.contains('dark'));
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

/** The next Tab goes to the first control of the page. */
const toStart = (page: Page) =>
  page.evaluate(() => {
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
  });

/** A guest whose conversations have these titles, the last one open. */
async function withConversations(titles: string[], options?: VisitorOptions) {
  const arrived = await home(options);
  for (const title of titles) {
    await press(arrived.page, 'Control+Shift+O');
    await arrived.page.getByRole('heading', { name: 'New chat' }).waitFor();
    await ask(arrived.page, title);
  }
  return arrived;
}

describe('everything that happens in one tab is seen in the others without reload', () => {
  it('new, renamed, starred, deleted and restored conversations, and the theme', async () => {
    const { visitor, page } = await withConversations(['About owls', 'About ravens']);
    const other = await visitor.open(new URL(page.url()).search);
    await row(other, 'About ravens').waitFor();
    await expect.poll(() => other.title()).toBe('About ravens · STOLAS');

    await press(page, 'Control+Shift+O');
    await page.getByRole('heading', { name: 'New chat' }).waitFor();
    await send(page, 'About swans');
    await row(other, 'About swans').waitFor();
    await row(other, 'About swans').getByText('New reply').waitFor({ state: 'attached' });

    await row(page, 'About ravens').click();
    await chooseItem(page, 'Actions for this conversation', 'Rename');
    await page.getByRole('textbox', { name: 'Title' }).fill('About crows');
    await press(page, 'Enter');
    await other.getByRole('heading', { name: 'About crows' }).waitFor();
    await expect.poll(() => other.title()).toBe('About crows · STOLAS');

    await row(page, 'About owls').hover();
    await page.getByRole('button', { name: 'Star “About owls”' }).click();
    await other.getByRole('region', { name: 'Starred' }).getByTitle('About owls').waitFor();

    const dark = await isDark(other);
    await page.getByRole('button', { name: dark ? 'Light Mode' : 'Dark Mode' }).click();
    await expect.poll(() => isDark(other)).toBe(!dark);

    await chooseItem(page, 'Actions for this conversation', 'Delete');
    await other.getByText('This conversation was deleted').waitFor();
    await expect.poll(() => row(other, 'About crows').count()).toBe(0);
    expect(await other.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    for (const tab of [page, other]) {
      await row(tab, 'About crows').waitFor();
      await tab.locator('[data-role=user]').getByText('About ravens').waitFor();
    }
    expect(visitor.errors).toEqual([]);
  });
});

describe('the list of conversations by keyboard alone', () => {
  it('stars, renames, deletes and restores, and no barrier is found on the way', async () => {
    const titles = ['About owls', 'About ravens'];
    const { visitor, page } = await withConversations(titles, { reducedMotion: 'reduce' });
    await page.reload();
    await row(page, 'About ravens').waitFor();
    await toStart(page);
    // Skip to messages, skip to the message box, collapse, new chat, search, list.
    await press(page, 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab');
    const focus = () => page.evaluate(() => document.activeElement?.getAttribute('title'));
    await expect.poll(focus).toBe('About ravens');

    await press(page, 'ArrowDown', 'ArrowRight', 'Enter');
    await page.getByRole('region', { name: 'Starred' }).getByTitle('About owls').waitFor();
    await press(page, 'Tab', 'Shift+Tab', 'Home');
    await expect.poll(focus).toBe('About owls');

    await press(page, 'F2');
    await page.getByRole('textbox', { name: 'Title' }).waitFor();
    await page.keyboard.type('About eagle owls');
    expect(await barriers(page)).toEqual([]);
    await press(page, 'Enter');
    await expect.poll(focus).toBe('About eagle owls');

    await press(page, 'ArrowRight', 'ArrowRight', 'Enter');
    await page.getByRole('menu').waitFor();
    await checkScreen(page, 'sidebar-menu');
    await press(page, 'Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    // The focus returns a moment after the menu is gone.
    const inRow = () =>
      page.evaluate(() => Boolean(document.activeElement?.closest('[data-conversation-id]')));
    await expect.poll(inRow).toBe(true);

    await press(page, 'Delete');
    await row(page, 'About eagle owls').waitFor({ state: 'detached' });
    await page.getByText('Conversation deleted', { exact: true }).waitFor();
    await press(page, 'F8', 'Tab', 'Tab', 'Enter');
    await page.getByRole('region', { name: 'Starred' }).getByTitle('About eagle owls').waitFor();
    expect(visitor.errors).toEqual([]);
  });

  it('is passed by with one key: the message box is two Tab stops from the start of the page', async () => {
    const { visitor, page } = await withConversations(['About owls']);
    await toStart(page);
    await press(page, 'Tab');
    await page.getByRole('button', { name: 'Skip to messages' }).waitFor();
    await press(page, 'Tab', 'Enter');
    await page.keyboard.type('Typed at once');
    await expect.poll(() => composer(page).inputValue()).toBe('Typed at once');
    await press(page, 'Control+/');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(visitor.errors).toEqual([]);
  });
});

describe('the sidebar', () => {
  it('is draggable between 250 and 600 px (default 320), collapsed width 64 px', async () => {
    const { visitor, page } = await home();
    const sidebar = page.getByRole('navigation', { name: 'Conversations' });
    const width = async () => Math.round((await sidebar.boundingBox())?.width ?? 0);
    const edge = page.getByRole('separator', { name: 'Sidebar width' });
    const dragTo = async (x: number) => {
      await edge.hover();
      await page.mouse.down();
      await page.mouse.move(x, 400);
      await page.mouse.up();
    };
    // The border of 1 px counts.
    await expect.poll(width).toBe(319);
    await dragTo(900);
    await expect.poll(width).toBe(599);
    await dragTo(10);
    await expect.poll(width).toBe(249);
    await edge.dblclick();
    await expect.poll(width).toBe(319);
    await press(page, 'Control+b');
    await expect.poll(width).toBe(64);
    await page.getByRole('button', { name: 'Search conversations' }).click();
    await page.keyboard.type('owl');
    await expect
      .poll(() => page.getByPlaceholder('Search conversations...').inputValue())
      .toBe('owl');
    expect(visitor.errors).toEqual([]);
  });
});

describe('Escape', () => {
  it('clears the search box and does not stop the reply; in the message box it stops it', async () => {
    const { visitor, page } = await withConversations(['About owls']);
    await send(page, '/long 40 4');
    const stop = page.getByRole('button', { name: 'Stop' });
    await stop.waitFor();
    const search = page.getByPlaceholder('Search conversations...');
    await search.fill('nothing');
    await press(page, 'Escape');
    await expect.poll(() => search.inputValue()).toBe('');
    await press(page, 'Escape');
    expect(await stop.count()).toBe(1);
    await composer(page).press('Escape');
    await page.getByText('You stopped this reply.').waitFor();
    expect(visitor.errors).toEqual([]);
  });
});

describe('on a phone', () => {
  it('Back closes the drawer and stays on the page; what was opened from it is one step back', async () => {
    const { visitor, page } = await withConversations(['About owls', 'About ravens'], PHONE);
    const ravens = page.url();
    const drawer = page.getByRole('dialog', { name: 'Conversations' });
    const openDrawer = async () => {
      await page.getByRole('button', { name: 'Open sidebar' }).click();
      await drawer.waitFor();
    };
    await openDrawer();
    await page.goBack();
    await drawer.waitFor({ state: 'detached' });
    expect(page.url()).toBe(ravens);

    await openDrawer();
    await row(page, 'About owls').click();
    await drawer.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'About owls' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'About ravens' }).waitFor();
    expect(await drawer.count()).toBe(0);

    await openDrawer();
    const sizes = await drawer
      .getByRole('button', { name: /^Actions for “/ })
      .evaluateAll((all) => all.map((button) => button.getBoundingClientRect().height));
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(44);
    await press(page, 'Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(page.url()).toBe(ravens);
    expect(visitor.errors).toEqual([]);
  });
});
