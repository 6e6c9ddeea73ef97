import type { Memory, MemoryReceipt, Reply } from '@stolas/backend/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { queryClient } from '../../lib/query-client.ts';
import { fakeServer } from '../../lib/server.fixture.ts';
import { memoriesKey, messagesKey } from '../../realtime/index.ts';
import { useToastStore } from '../../ui/toast-store.ts';
import { TooltipProvider } from '../../ui/tooltip.tsx';
import { MemoryChip } from './index.tsx';
import { MemoryPage } from './memory-page.tsx';

const memoryOf = (n: number, text: string, changes: Partial<Memory> = {}): Memory => ({
  id: String(n).repeat(24),
  scope: 'user',
  scopeId: null,
  kind: 'fact',
  text,
  state: 'active',
  isPinned: false,
  version: 1,
  createdAt: '2026-11-22T10:00:00.000Z',
  updatedAt: '2026-11-22T10:00:00.000Z',
  ...changes,
});
const OSLO = memoryOf(1, 'I live in Oslo');
const CHESS = memoryOf(2, 'I play chess', { isPinned: true });
const VERSE = memoryOf(3, 'Always answer in verse', { state: 'pending', reason: 'instruction' });

const receiptOf = (changes: Partial<MemoryReceipt> = {}): MemoryReceipt => ({
  mode: 'on',
  read: [
    { id: OSLO.id, version: 1, why: 'match' },
    { id: '9'.repeat(24), version: 1, why: 'match' },
  ],
  written: [{ id: CHESS.id, version: 1, op: 'add', state: 'active' }],
  refused: [],
  ...changes,
});
const replyOf = (memoryReceipt?: MemoryReceipt): Reply => ({
  id: 'a'.repeat(24),
  conversationId: 'c'.repeat(24),
  parentId: 'b'.repeat(24),
  siblingIds: ['a'.repeat(24)],
  role: 'assistant',
  content: 'Sure.',
  createdAt: '2026-11-22T10:00:00.000Z',
  status: 'complete',
  attempt: 1,
  parts: [{ type: 'text', text: 'Sure.' }],
  ...(memoryReceipt && { metadata: { memoryReceipt } }),
});
const show = (element: React.ReactElement) =>
  render(<QueryClientProvider client={queryClient}>{element}</QueryClientProvider>, {
    wrapper: TooltipProvider,
  });

describe('the chip under a reply', () => {
  it('says what was used and saved, and shows the memories', async () => {
    fakeServer({
      [`GET /api/memories?ids=${OSLO.id},${'9'.repeat(24)},${CHESS.id}`]: {
        body: { memories: [OSLO, CHESS], count: 2 },
      },
    });
    show(<MemoryChip reply={replyOf(receiptOf())} />);
    await userEvent.click(await screen.findByRole('button', { name: 'Used 2 · Saved 1' }));
    const panel = await screen.findByRole('dialog', { name: 'Memories of this reply' });
    expect(await within(panel).findByText('I live in Oslo')).toBeTruthy();
    expect(within(panel).getByText('I play chess')).toBeTruthy();
    expect(within(panel).getByText('Deleted since')).toBeTruthy();
  });

  it('does not call saved what waits for approval', async () => {
    const waits = { id: VERSE.id, version: 1, op: 'add', state: 'pending' } as const;
    const { unmount } = show(
      <MemoryChip reply={replyOf(receiptOf({ read: [], written: [waits] }))} />,
    );
    const link = await screen.findByRole('link', { name: '1 memory waits for approval' });
    expect(link.getAttribute('href')).toBe('/memory');
    expect(screen.getByRole('button', { name: 'Undo' })).toBeTruthy();
    expect(screen.queryByText(/Saved/)).toBeNull();
    const saved = { ...waits, id: CHESS.id, state: 'active' } as const;
    unmount();
    show(<MemoryChip reply={replyOf(receiptOf({ read: [], written: [saved, waits] }))} />);
    expect(await screen.findByRole('button', { name: 'Saved 1' })).toBeTruthy();
    expect(screen.getByText('1 memory waits for approval')).toBeTruthy();
  });

  it('takes back what was saved', async () => {
    const { asked } = fakeServer({ 'POST /api/memories/undo': {} });
    const reply = replyOf(receiptOf());
    queryClient.setQueryData(messagesKey(reply.conversationId), [reply]);
    show(<MemoryChip reply={reply} />);
    await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));
    await waitFor(() =>
      expect(queryClient.getQueryData(messagesKey(reply.conversationId))).toMatchObject([
        { metadata: { memoryReceipt: { isUndone: true } } },
      ]),
    );
    expect(asked.at(-1)).toMatchObject({ body: { replyId: reply.id } });
  });

  it('says that it was undone, in this or another tab', async () => {
    show(<MemoryChip reply={replyOf(receiptOf({ isUndone: true }))} />);
    expect(await screen.findByText('Undone')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  });

  it('is not there when nothing was used or saved', () => {
    const { container } = show(
      <MemoryChip reply={replyOf(receiptOf({ read: [], written: [] }))} />,
    );
    expect(container.innerHTML).toBe('');
  });
});

describe('the page of memories', () => {
  it('shows pinned ones first, finds by words, and asks for approval', async () => {
    const { asked } = fakeServer({
      'GET /api/memories': { body: { memories: [OSLO, CHESS, VERSE], count: 3 } },
      [`POST /api/memories/${VERSE.id}/approve`]: { body: { ...VERSE, state: 'active' } },
    });
    show(<MemoryPage />);
    await screen.findByText('I live in Oslo');
    const rows = () =>
      [...document.querySelectorAll('[data-memory] bdi')].map((row) => row.textContent);
    expect(rows()).toEqual(['I play chess', 'I live in Oslo']);
    expect(screen.getByText('This changes how STOLAS answers. Keep it?')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Approve' }));
    await waitFor(() => expect(asked.some(({ call }) => call.endsWith('/approve'))).toBe(true));
    await userEvent.type(screen.getByRole('searchbox'), 'oslo live');
    expect(rows()).toEqual(['I live in Oslo']);
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Scope' }), 'persona');
    expect(screen.getByText('No memory contains these words')).toBeTruthy();
  });

  it('edits the version that is shown, and says when it is another one by now', async () => {
    const { asked } = fakeServer({
      'GET /api/memories': { body: { memories: [OSLO], count: 1 } },
      [`PATCH /api/memories/${OSLO.id}`]: {
        status: 409,
        body: { code: 'memory_changed', message: 'This memory was changed meanwhile.' },
      },
    });
    show(<MemoryPage />);
    await userEvent.click(await screen.findByRole('button', { name: 'Actions for this memory' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Edit' }));
    const box = screen.getByRole('textbox', { name: 'Text of the memory' });
    await userEvent.clear(box);
    await userEvent.type(box, 'I live in Rome{Enter}');
    await waitFor(() =>
      expect(asked.find(({ call }) => call.startsWith('PATCH'))?.body).toEqual({
        version: 1,
        text: 'I live in Rome',
      }),
    );
    // The text that was typed stays.
    expect(screen.getByRole('textbox', { name: 'Text of the memory' })).toHaveProperty(
      'value',
      'I live in Rome',
    );
  });

  it('edits no version that another tab made since, until the user was told of it', async () => {
    const { answers, asked } = fakeServer({
      'GET /api/memories': { body: { memories: [OSLO], count: 1 } },
      [`PATCH /api/memories/${OSLO.id}`]: {
        status: 409,
        body: { code: 'memory_changed', message: 'This memory was changed meanwhile.' },
      },
    });
    show(<MemoryPage />);
    await userEvent.click(await screen.findByRole('button', { name: 'Actions for this memory' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Edit' }));
    const box = screen.getByRole('textbox', { name: 'Text of the memory' });
    await userEvent.type(box, ' now');
    const memories = [{ ...OSLO, text: 'I live in Bonn', version: 2 }];
    answers['GET /api/memories'] = { body: { memories, count: 1 } };
    await act(() => queryClient.invalidateQueries({ queryKey: memoriesKey }));
    const versions = () =>
      asked
        .filter(({ call }) => call.startsWith('PATCH'))
        .map(({ body }) => (body as { version: number }).version);
    await userEvent.type(box, '{Enter}');
    await waitFor(() => expect(versions()).toEqual([1]));
    const save = screen.getByRole<HTMLButtonElement>('button', { name: 'Save' });
    await waitFor(() => expect(save.getAttribute('aria-busy')).not.toBe('true'));
    await userEvent.type(box, '{Enter}');
    await waitFor(() => expect(versions()).toEqual([1, 2]));
  });

  it.each(['{Escape}', '{Tab}{Enter}', '{Enter}'])(
    'puts the cursor into the text that is edited, and gives the focus back after %s',
    async (keys) => {
      fakeServer({
        'GET /api/memories': { body: { memories: [OSLO, CHESS], count: 2 } },
        [`PATCH /api/memories/${OSLO.id}`]: { body: OSLO },
      });
      show(<MemoryPage />);
      const row = (await screen.findByText('I live in Oslo')).closest('li')!;
      const menu = within(row).getByRole('button', { name: 'Actions for this memory' });
      await userEvent.click(menu);
      await userEvent.click(await screen.findByRole('menuitem', { name: 'Edit' }));
      const box = await within(row).findByRole('textbox', { name: 'Text of the memory' });
      await waitFor(() => expect(document.activeElement).toBe(box));
      await userEvent.keyboard(keys);
      await within(row).findByText('I live in Oslo');
      expect(document.activeElement).toBe(menu);
    },
  );

  it('leaves the focus where the user went while a memory is saved', async () => {
    fakeServer({
      'GET /api/memories': { body: { memories: [OSLO], count: 1 } },
      [`PATCH /api/memories/${OSLO.id}`]: { body: OSLO },
    });
    show(<MemoryPage />);
    await userEvent.click(await screen.findByRole('button', { name: 'Actions for this memory' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Edit' }));
    fireEvent.submit(
      (await screen.findByRole('textbox', { name: 'Text of the memory' })).closest('form')!,
    );
    const search = screen.getByRole('searchbox');
    search.focus();
    await screen.findByText('I live in Oslo');
    expect(document.activeElement).toBe(search);
  });

  it.each([1, 100, 101, 500])('imports all %i memories of an export', async (count) => {
    const { asked } = fakeServer({
      'GET /api/memories': { body: { memories: [], count: 0 } },
      'POST /api/memories/import': { body: { memories: [VERSE] } },
    });
    const parts = () =>
      asked
        .filter(({ call }) => call === 'POST /api/memories/import')
        .map(({ body }) => (body as { memories: { text: string }[] }).memories);
    show(<MemoryPage />);
    const memories = Array.from({ length: count }, (_, n) => ({
      text: `Fact ${n}`,
      kind: 'fact',
      state: n === 0 ? 'superseded' : 'active',
    }));
    const file = new File([JSON.stringify({ memories })], 'a.json', { type: 'application/json' });
    await userEvent.upload(screen.getByLabelText('Import', { selector: 'input' }), file);
    await waitFor(() => expect(parts().flat()).toEqual(memories));
    expect(Math.max(...parts().map(({ length }) => length))).toBeLessThanOrEqual(100);
    // The server added one of each part.
    const sum = new RegExp(`^${parts().length} memor`);
    await waitFor(() => expect(useToastStore.getState().current?.title).toMatch(sum));
  });

  it('names the persona of a memory, and says when it was deleted', async () => {
    const [kept, lost] = ['a', 'b'].map((letter) => letter.repeat(24));
    const memories = [kept, lost].map((scopeId = '', at) =>
      memoryOf(4 + at, `Fact ${at}`, { scope: 'persona', scopeId }),
    );
    fakeServer({
      'GET /api/memories': { body: { memories: [OSLO, ...memories], count: 3 } },
      'GET /api/personas?fields=summary': { body: [{ id: kept, name: 'Ada' }] },
    });
    show(<MemoryPage />);
    const rowOf = async (text: string) => (await screen.findByText(text)).closest('li');
    await screen.findByText('For conversations with Ada');
    expect((await rowOf('Fact 0'))?.textContent).toContain('Ada');
    expect((await rowOf('Fact 1'))?.textContent).toContain('For a persona that was deleted');
    expect((await rowOf('I live in Oslo'))?.textContent).not.toContain('ersona');
  });

  it('offers only scopes that memories have', async () => {
    fakeServer({ 'GET /api/memories': { body: { memories: [OSLO], count: 1 } } });
    show(<MemoryPage />);
    const options = within(screen.getByRole('combobox', { name: 'Scope' })).getAllByRole('option');
    expect(options.map(({ textContent }) => textContent)).not.toContain('In one project');
    expect(options).toHaveLength(3);
  });

  it.each([
    ['nothing', [], false],
    ['only what is no longer used', [memoryOf(4, 'I live in Rome', { state: 'superseded' })], true],
  ])('with %s offers what there is to do', async (_, superseded, isOffered) => {
    const { asked } = fakeServer({
      'GET /api/memories': { body: { memories: [], count: 0 } },
      'GET /api/memories?state=superseded': { body: { memories: superseded, count: 0 } },
    });
    show(<MemoryPage />);
    await screen.findByText('Nothing is remembered yet');
    await waitFor(() => expect(asked).toHaveLength(2));
    await screen.findByRole('button', { name: 'Import' });
    for (const name of ['Export', 'Forget everything', 'Show memories that are no longer used'])
      await waitFor(() => expect(screen.queryByRole('button', { name }) !== null).toBe(isOffered));
  });

  it('asks before everything is forgotten', async () => {
    const { asked } = fakeServer({
      'GET /api/memories': { body: { memories: [OSLO], count: 1 } },
      'DELETE /api/memories': {},
    });
    show(<MemoryPage />);
    await userEvent.click(await screen.findByRole('button', { name: 'Forget everything' }));
    expect(asked.some(({ call }) => call.startsWith('DELETE'))).toBe(false);
    const dialog = await screen.findByRole('dialog', { name: 'Forget everything?' });
    await userEvent.click(within(dialog).getByRole('button', { name: 'Forget everything' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(asked.some(({ call }) => call.startsWith('DELETE'))).toBe(true);
  });
});
