import type { FileKind, FilePage, UserFile } from '@stolas/backend/contract';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import axe from 'axe-core';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { setWide } from '../../../lib/media.fixture.ts';
import { live } from '../../../realtime/index.ts';
import { idOf, openLibrary, serveFiles, testFile, testPage } from '../files.fixture.tsx';
import { openFile } from '../place.ts';

const id = idOf(1);
const pages = (n: number) => `GET /api/files/${id}/pages/${n}`;
const viewer = () => within(screen.getByRole('complementary', { name: 'File viewer' }));
const findViewer = async () =>
  within(await screen.findByRole('complementary', { name: 'File viewer' }));
const marked = () => [...document.querySelectorAll('mark')].map(({ textContent }) => textContent);
const textFile = testFile(1, { name: 'notes.txt', kind: 'text', pages: 3 });

/** Opens a file that has these pages, at what follows in the address. */
function openPages(kind: FileKind, shown: FilePage[], place = '') {
  const answers = Object.fromEntries(shown.map((page) => [pages(page.n), page]));
  serveFiles([{ ...textFile, kind, pages: shown[0]?.pages ?? 1 }], answers);
  return openLibrary(`/files?file=${id}${place}`);
}

// Loaded on demand, which may take longer than a query waits.
beforeAll(() => import('./viewer.tsx'));

beforeEach(() => void setWide(true));

describe('a PDF', () => {
  const picture = { width: 595, height: 842 };
  // happy-dom has no layout, and scrolls without an event.
  beforeEach(() => {
    vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(100_000);
  });
  const scrolled = async () => {
    const scroller = await screen.findByRole('region', { name: 'Pages' });
    await waitFor(() => expect(scroller.scrollTop).toBeGreaterThan(0));
    fireEvent.scroll(scroller);
    return viewer();
  };
  const serve = () => {
    const answers: Record<string, unknown> = {
      [`${pages(37)}/marks?start=4&end=8`]: {
        rects: [{ left: 0.1, top: 0.25, width: 0.5, height: 0.02 }],
      },
    };
    for (let n = 1; n <= 60; n += 1)
      answers[pages(n)] = testPage(n, `The text of page ${n}`, { picture });
    return serveFiles([testFile(1)], answers);
  };
  /** Opens page 37 at its passage. */
  const openPassage = async () => {
    serve();
    const { container } = openLibrary(`/files?file=${id}&page=37&mark=4-8`);
    return { container, shown: await scrolled() };
  };

  it('opens at the page of the address with the passage marked', async () => {
    const { shown } = await openPassage();
    const page = await shown.findByRole('group', { name: 'Page 37' });
    expect(await within(page).findByText('text')).toBeTruthy();
    await waitFor(() => expect(page.querySelector('[data-mark]')).not.toBeNull());
    const mark = page.querySelector<HTMLElement>('[data-mark]');
    expect(mark?.style.left).toBe('10%');
    expect(mark?.style.top).toBe('25%');
    expect(marked()).toEqual(['text']);
    expect(page.querySelector('img')?.getAttribute('src')).toMatch(
      new RegExp(`^/api/files/${id}/pages/37/picture\\?width=\\d+$`),
    );
    expect(screen.getByLabelText<HTMLInputElement>('Page').value).toBe('37');
  });

  it('shows the number that is printed on the page beside the counted one', async () => {
    serveFiles([testFile(1)], {
      [pages(37)]: testPage(37, 'The text', { picture, label: '35' }),
    });
    openLibrary(`/files?file=${id}&page=37`);
    const shown = await scrolled();
    expect(await shown.findByRole('group', { name: 'Page 37 (printed 35)' })).toBeTruthy();
    expect(await shown.findByText('(printed 35)')).toBeTruthy();
  });

  it('mounts only the pages in and near the view', async () => {
    serve();
    openLibrary(`/files?file=${id}&page=30`);
    await (await scrolled()).findByRole('group', { name: 'Page 30' });
    expect(document.querySelectorAll('[role=group][aria-label^=Page]').length).toBeLessThan(8);
  });

  it('names the pages that were not read, above its pages', async () => {
    const { answers, storage } = serve();
    const unread: UserFile['unread'] = [
      { kind: 'picture', count: 4, pages: [2, 3, 4, 7] },
      { kind: 'no_text', count: 1, pages: [9] },
    ];
    answers[`GET /api/files?ids=${id}`] = {
      body: { files: [testFile(1, { unread })], next: null, storage },
    };
    openLibrary(`/files?file=${id}`);
    expect((await screen.findByRole('note')).textContent).toBe(
      '4 pictures were not read: pages 2–4, 7 · 1 page has no readable text: page 9',
    );
    const file = testFile(1, { unread, recognition: { done: 5, total: 5 } });
    act(() => live.handlers['file:changed'](file));
    await waitFor(() =>
      expect(screen.getByRole('note').textContent).toBe('Recognising text, page 5 of 5'),
    );
  });

  it('goes to the page that is typed', async () => {
    await openPassage();
    const field = screen.getByLabelText('Page');
    await userEvent.clear(field);
    await userEvent.type(field, '99{Enter}');
    expect(new URLSearchParams(location.search).get('page')).toBe('60');
    expect(field).toBe(document.activeElement);
    fireEvent.scroll(screen.getByRole('region', { name: 'Pages' }));
    expect(await viewer().findByRole('group', { name: 'Page 60' })).toBeTruthy();
  });

  it('goes to the page that is typed when the field is left, as phones have no Enter for numbers', async () => {
    await openPassage();
    const page = () => new URLSearchParams(location.search).get('page');
    const field = screen.getByLabelText<HTMLInputElement>('Page');
    const type = async (typed: string) => {
      await userEvent.clear(field);
      await userEvent.type(field, typed);
    };
    await type('52');
    act(() => field.blur());
    expect(page()).toBe('52');
    await type('0');
    act(() => field.blur());
    expect([page(), field.value]).toEqual(['52', '52']);
    await type('9{Escape}');
    expect(field.value).toBe('52');
    act(() => field.blur());
    expect(page()).toBe('52');
    expect(viewer().getByLabelText('Page')).toBe(field);
  });

  it('stays where it is when another window takes the focus from the field', async () => {
    await openPassage();
    const field = screen.getByLabelText<HTMLInputElement>('Page');
    await userEvent.clear(field);
    await userEvent.type(field, '5');
    vi.spyOn(document, 'hasFocus').mockReturnValue(false);
    fireEvent.blur(field);
    expect(new URLSearchParams(location.search).get('page')).toBe('37');
    expect(field.value).toBe('5');
  });

  it('stays at its passage when the field of the page is left as it was', async () => {
    await openPassage();
    const field = screen.getByLabelText('Page');
    act(() => field.focus());
    act(() => field.blur());
    expect(new URLSearchParams(location.search).get('mark')).toBe('4-8');
  });

  it('has no accessibility errors', async () => {
    const { container, shown } = await openPassage();
    await shown.findByRole('group', { name: 'Page 37' });
    await waitFor(() => expect(document.querySelector('[data-mark]')).not.toBeNull());
    const { violations } = await axe.run(container, {
      // happy-dom computes no colours.
      rules: { 'color-contrast': { enabled: false } },
    });
    expect(violations.map(({ id: rule, nodes }) => [rule, nodes[0]?.html])).toEqual([]);
  });
});

describe('a text', () => {
  const open = (place?: string) =>
    openPages(
      'text',
      [testPage(1, 'One <b>two</b> three', { pages: 3 }), testPage(2, 'Second page', { pages: 3 })],
      place,
    );

  it('is shown as it is written, with the passage marked', async () => {
    open('&page=1&mark=4-14');
    expect(await screen.findByText('<b>two</b>')).toBeTruthy();
    expect(marked()).toEqual(['<b>two</b>']);
  });

  it('turns its pages by the arrow keys, and zooms by + and -', async () => {
    open();
    (await screen.findByText('One <b>two</b> three')).closest('section')?.focus();
    await userEvent.keyboard('{ArrowRight}');
    expect(await screen.findByText('Second page')).toBeTruthy();
    screen.getByText('Second page').closest('section')?.focus();
    await userEvent.keyboard('+');
    expect(screen.getByRole('button', { name: 'Zoom 125%, reset' })).toBeTruthy();
    await userEvent.keyboard('--');
    expect(screen.getByRole('button', { name: 'Zoom 75%, reset' })).toBeTruthy();
    await userEvent.keyboard('{ArrowLeft}');
    expect(await screen.findByText('One <b>two</b> three')).toBeTruthy();
  });

  it('keeps the focus on a button that leads no further', async () => {
    openPages('text', [
      testPage(1, 'First page', { pages: 2 }),
      testPage(2, 'Second page', { pages: 2 }),
    ]);
    await screen.findByText('First page');
    const next = screen.getByRole('button', { name: 'Next page' });
    next.focus();
    await userEvent.keyboard('{Enter}');
    expect(await screen.findByText('Second page')).toBeTruthy();
    expect(document.activeElement).toBe(next);
    expect(next.getAttribute('aria-disabled')).toBe('true');
    await userEvent.keyboard('{Enter}');
    expect(new URLSearchParams(location.search).get('page')).toBe('2');
    expect(screen.getByText('Second page')).toBeTruthy();
  });

  it('marks nothing where the passage lies beyond the text', async () => {
    open('&page=1&mark=400-500');
    expect(await screen.findByText('One <b>two</b> three')).toBeTruthy();
    expect(marked()).toEqual([]);
  });
});

describe('Markdown', () => {
  it('is rendered, and as it is written when a passage is marked', async () => {
    openPages('markdown', [testPage(1, '# Title\n\nSome **bold** text', { pages: 1 })]);
    expect(await screen.findByRole('heading', { name: 'Title' })).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Source' }));
    expect(await screen.findByText(/# Title/)).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Source' }));
    act(() => openFile({ fileId: id, page: 1, mark: { start: 2, end: 7 } }));
    await waitFor(() => expect(marked()).toEqual(['Title']));
  });
});

describe('rendered Markdown', () => {
  it('is zoomed', async () => {
    openPages('markdown', [testPage(1, '# Title', { pages: 1 })]);
    const title = await screen.findByRole('heading', { name: 'Title' });
    const zoom = () => title.closest<HTMLElement>('[style]')?.style.getPropertyValue('zoom');
    await userEvent.click(screen.getByRole('button', { name: 'Zoom in' }));
    expect(zoom()).toBe('1.25');
    await userEvent.click(screen.getByRole('button', { name: 'Zoom 125%, reset' }));
    expect(zoom()).toBe('1');
  });
});

describe('a table', () => {
  it('marks the cells of the passage', async () => {
    const row = (cells: string[], start: number) =>
      cells.map((text, i) => ({ text, start: start + i * 10, end: start + i * 10 + text.length }));
    const rows = [row(['Region', 'Units'], 0)];
    for (let n = 1; n <= 359; n += 1) rows.push(row([`Region ${n}`, `${n}`], n * 100));
    openPages('table', [testPage(1, '', { pages: 1, rows })], '&page=1&mark=32010-32012');
    await screen.findByText('Units', { selector: 'th' });
    const cells = document.querySelectorAll('[data-marked]');
    expect([...cells].map(({ textContent }) => textContent)).toEqual(['320']);
    expect(cells[0]?.getAttribute('aria-label')).toBe('320, cited');
    expect(document.querySelectorAll('tbody tr')).toHaveLength(190);
    await userEvent.click(screen.getByText(/earlier rows/));
    expect(document.querySelectorAll('tbody tr')).toHaveLength(359);
  });

  it('shows the first rows of each page', async () => {
    const rows = Array.from({ length: 401 }, () => [{ text: 'Owl', start: 0, end: 3 }]);
    const page = (n: number) => testPage(n, '', { pages: 2, rows, columns: [`Birds ${n}`] });
    openPages('table', [page(1), page(2)], '&page=2');
    const shown = async (n: number) => {
      await screen.findByText(`Birds ${n}`);
      return document.querySelectorAll('tbody tr').length;
    };
    expect(await shown(2)).toBe(300);
    await userEvent.click(screen.getByRole('button', { name: 'Previous page' }));
    expect(await shown(1)).toBe(300);
    await userEvent.click(screen.getByText(/later rows|more rows/));
    expect(await shown(1)).toBe(401);
    await userEvent.click(screen.getByRole('button', { name: 'Next page' }));
    expect(await shown(2)).toBe(300);
  });
});

describe('a page that continues a table', () => {
  it('stands below the names of its columns, with its first row', async () => {
    const rows = [
      ['Owl', '7'].map((text, i) => ({ text, start: i * 4, end: i * 4 + text.length })),
    ];
    const page = testPage(2, '', { pages: 2, rows, columns: ['Bird', 'Count'] });
    openPages('table', [page], '&page=2&mark=0-3');
    await screen.findByText('Bird', { selector: 'th' });
    const marked = document.querySelectorAll('[data-marked]');
    expect([...marked].map(({ textContent }) => textContent)).toEqual(['Owl']);
    expect(document.querySelectorAll('tbody tr')).toHaveLength(1);
    expect(screen.getByText('7', { selector: 'td[data-number]' })).toBeTruthy();
  });
});

describe('a column of a table', () => {
  it.each([
    [['7', '1,200.50', '−3', '€ 12', '', '45 %'], true],
    [['2025-01-01', '12'], false],
    [['12', 'twelve'], false],
    [['', ''], false],
  ])('of %j is shown as numbers: %s', async (texts, expected) => {
    const cells = (text: string) => ['Name', text].map((it) => ({ text: it, start: 0, end: 0 }));
    const rows = [cells('Value'), ...texts.map(cells)];
    openPages('table', [testPage(1, '', { pages: 1, rows })]);
    await screen.findByText('Value', { selector: 'th' });
    const shown = document.querySelectorAll('[data-number]');
    // With its heading.
    expect(shown).toHaveLength(expected ? texts.length + 1 : 0);
  });
});

describe('a file without text', () => {
  it('that is being read opens by itself when it is ready', async () => {
    const reading = { ...textFile, state: 'reading' as const, progress: { done: 1, total: 3 } };
    serveFiles([reading], { [pages(1)]: testPage(1, 'Here it is', { pages: 3 }) });
    openLibrary(`/files?file=${id}`);
    const view = await findViewer();
    expect(await view.findByText('This file is still being read')).toBeTruthy();
    expect(view.getByText('Reading 1 of 3…')).toBeTruthy();
    act(() => live.handlers['file:changed'](textFile));
    expect(await view.findByText('Here it is')).toBeTruthy();
  });

  it('that failed says why, and can be downloaded', async () => {
    const problem = { code: 'damaged' as const, message: 'This file is damaged.' };
    serveFiles([{ ...textFile, state: 'failed', problem }]);
    openLibrary(`/files?file=${id}`);
    const view = await findViewer();
    expect(await view.findByText('This file is damaged.')).toBeTruthy();
    const links = view.getAllByRole('link', { name: 'Download' });
    const url = `${textFile.url}?download=true`;
    expect(links.map((link) => link.getAttribute('href'))).toEqual([url, url]);
  });

  it('that a conversation of somebody else opens is looked at again until it is ready', async () => {
    const { answers, storage } = serveFiles([{ ...textFile, state: 'reading', isReadOnly: true }], {
      [pages(1)]: testPage(1, 'Here it is', { pages: 3 }),
    });
    openLibrary(`/files?file=${id}`);
    await screen.findByText('This file is still being read');
    const file = { ...textFile, isReadOnly: true };
    answers[`GET /api/files?ids=${id}`] = { body: { files: [file], next: null, storage } };
    expect(await screen.findByText('Here it is', undefined, { timeout: 5_000 })).toBeTruthy();
  });

  it.each([
    ['a conversation of somebody else opens', { isReadOnly: true }],
    ['somebody else shares', { shared: { role: 'viewer', owner: { id: idOf(9), name: 'Ada' } } }],
  ] as const)('that %s is read again by its owner only', async (_who, fields) => {
    const problem = { code: 'damaged' as const, message: 'This file is damaged.' };
    serveFiles([{ ...textFile, ...fields, state: 'failed', problem }]);
    openLibrary(`/files?file=${id}`);
    const view = await findViewer();
    expect(await view.findByText('This file is damaged.')).toBeTruthy();
    expect(view.queryByRole('button', { name: 'Try again' })).toBeNull();
  });

  it('that was deleted is said to be deleted, also while it is open', async () => {
    serveFiles([textFile], { [pages(1)]: testPage(1, 'Here it is', { pages: 3 }) });
    openLibrary(`/files?file=${id}`);
    await screen.findByText('Here it is');
    act(() => live.handlers['file:deleted']({ id }));
    expect(await screen.findByText('This file is not available')).toBeTruthy();
  });
});

describe('the panel', () => {
  const serve = () =>
    serveFiles([textFile], { [pages(1)]: testPage(1, 'Here it is', { pages: 3 }) });

  it('closes by Escape, gives the focus back, and leaves the address', async () => {
    serve();
    openLibrary();
    const row = await screen.findByRole('button', { name: 'notes.txt' });
    await userEvent.click(row);
    expect(location.search).toBe(`?file=${id}&page=1`);
    await screen.findByText('Here it is');
    expect(document.activeElement).toBe(screen.getByRole('complementary', { name: 'File viewer' }));
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByRole('complementary', { name: 'File viewer' })).toBeNull();
    expect(document.activeElement).toBe(row);
    expect(location.search).toBe('');
  });

  it('is as wide as the reader has made it', async () => {
    serve();
    openLibrary(`/files?file=${id}`);
    const edge = await screen.findByRole('separator', { name: 'Viewer width' });
    edge.focus();
    await userEvent.keyboard('{End}');
    expect(edge.getAttribute('aria-valuenow')).toBe('360');
    await userEvent.keyboard('{ArrowLeft}');
    expect(edge.getAttribute('aria-valuenow')).toBe('376');
    expect(localStorage.getItem('viewer-width')).toBe('376');
  });

  it('covers the page on narrow screens, with a way back', async () => {
    setWide(false);
    serve();
    openLibrary(`/files?file=${id}`);
    const sheet = within(await screen.findByRole('dialog', { name: 'File viewer' }));
    expect(await sheet.findByText('Here it is')).toBeTruthy();
    await userEvent.click(sheet.getByRole('button', { name: 'Back' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(location.search).toBe('');
  });

  it.each([
    ['Back', () => userEvent.click(screen.getByRole('button', { name: 'Back' }))],
    ['Escape', () => userEvent.keyboard('{Escape}')],
  ])('gives the focus back on narrow screens too: %s', async (_, close) => {
    setWide(false);
    serve();
    openLibrary();
    const row = await screen.findByRole('button', { name: 'notes.txt' });
    await userEvent.click(row);
    await within(await screen.findByRole('dialog', { name: 'File viewer' })).findByText(
      'Here it is',
    );
    await close();
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(document.activeElement).toBe(row);
  });
});
