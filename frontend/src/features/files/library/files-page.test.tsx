import type { UserFile } from '@stolas/backend/contract';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import axe from 'axe-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { setWide } from '../../../lib/media.fixture.ts';
import { live } from '../../../realtime/index.ts';
import { useToastStore } from '../../../ui/toast-store.ts';
import { idOf, openLibrary, serveFiles, testFile } from '../files.fixture.tsx';
import { takeAttachedFiles } from '../upload/draft-files.ts';

const owls = { id: idOf(71), title: 'Owls', updatedAt: '2026-01-01T10:00:00.000Z' };
const lease = { id: idOf(72), title: 'The lease', updatedAt: '2026-01-02T10:00:00.000Z' };
const contract = testFile(1, { name: 'contract.pdf', conversationIds: [owls.id, lease.id] });
const locked = testFile(2, {
  name: 'locked.pdf',
  state: 'failed',
  problem: { code: 'encrypted', message: 'This file is protected by a password.' },
});
const titles = {
  [`GET /api/conversations?ids=${lease.id}`]: [lease],
  [`GET /api/conversations?ids=${owls.id}%2C${lease.id}`]: [owls, lease],
};

const rowOf = (name: string) => {
  const row = screen.getByText(name).closest('li');
  if (!row) throw new Error(`No row of ${name}`);
  return within(row);
};
const choose = async (name: string, item: string | RegExp) => {
  await userEvent.click(screen.getByRole('button', { name: `Actions for ${name}` }));
  await userEvent.click(await screen.findByRole('menuitem', { name: item }));
};

beforeEach(() => void setWide(true));

describe('the list', () => {
  it('shows name, size, pages, storage and where a file is used', async () => {
    serveFiles([contract], titles);
    openLibrary();
    expect(await screen.findByText('contract.pdf')).toBeTruthy();
    expect(screen.getByText(/2\.3 MB · .* · 60 pages/)).toBeTruthy();
    expect(screen.getByText('1.2 GB').parentElement?.textContent).toBe('1.2 GB of 20 GB');
    const link = await screen.findByRole('link', { name: 'The lease' });
    expect(link.getAttribute('href')).toBe(`/?c=${lease.id}`);
    expect(link.parentElement?.textContent).toBe('Used in The lease and 1 more');
  });

  it('says what of a file was not read, and the page that is being recognised', async () => {
    const unread: UserFile['unread'] = [
      { kind: 'picture', count: 1, pages: [4] },
      { kind: 'no_text', count: 2, pages: [7, 8] },
      { kind: 'font', count: 1, pages: [9] },
    ];
    const scan = { name: 'scan.pdf', unread, recognition: { done: 2, total: 12 } };
    serveFiles([testFile(1, { name: 'mixed.pdf', unread }), testFile(2, scan)]);
    openLibrary();
    await screen.findByText('mixed.pdf');
    expect(
      rowOf('mixed.pdf').getByText(
        '1 picture was not read · 2 pages have no readable text · 1 page has an unreadable font',
      ),
    ).toBeTruthy();
    expect(rowOf('scan.pdf').getByText('Recognising text, page 3 of 12')).toBeTruthy();
    const ready = testFile(2, { name: 'scan.pdf' });
    act(() => live.handlers['file:changed'](ready));
    await waitFor(() => expect(rowOf('scan.pdf').queryByText(/Recognising/)).toBeNull());
  });

  it.each([
    [0, 'You need a plan to store files here.'],
    // Files of messages that a workspace pays for, or of a plan that has ended.
    [3_145_728, '3 MB stored. You need a plan to store files here.'],
  ])('says that a plan is needed where there is no storage, with %d bytes', async (used, text) => {
    const { answers } = serveFiles([]);
    answers['GET /api/files'] = { body: { files: [], next: null, storage: { used, limit: 0 } } };
    openLibrary();
    expect(await screen.findByText(text)).toBeTruthy();
    expect(document.body.textContent).not.toContain('0 B');
  });

  it('has no accessibility errors', async () => {
    serveFiles([contract, locked, testFile(3, { state: 'reading' })], titles);
    const { container } = openLibrary();
    await screen.findByRole('link', { name: 'The lease' });
    // happy-dom computes no colours.
    const { violations } = await axe.run(container, {
      rules: { 'color-contrast': { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
  });

  it('says what is wrong with a file and reads it again', async () => {
    const { answers, asked } = serveFiles([locked]);
    answers[`POST /api/files/${locked.id}/read`] = { body: { ...locked, state: 'waiting' } };
    openLibrary();
    await screen.findByText('This file is protected by a password.');
    await userEvent.click(rowOf('locked.pdf').getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('Waiting to be read…')).toBeTruthy();
    expect(asked.map(({ call }) => call)).toContain(`POST /api/files/${locked.id}/read`);
  });

  it('follows the reading of a file without reading the list again', async () => {
    const file = testFile(1, { state: 'reading' });
    const { asked } = serveFiles([file]);
    openLibrary();
    await screen.findByText('Reading…');
    const before = asked.length;
    act(() => live.handlers['file:changed']({ ...file, progress: { done: 12, total: 60 } }));
    expect(await screen.findByText('Reading 12 of 60…')).toBeTruthy();
    act(() => live.handlers['file:changed']({ ...file, state: 'ready' }));
    await waitFor(() => expect(screen.queryByText(/Reading/)).toBeNull());
    act(() => live.handlers['file:deleted']({ id: file.id }));
    expect(await screen.findByText('No files yet')).toBeTruthy();
    expect(asked).toHaveLength(before);
  });

  it('shows more files on request', async () => {
    const { answers, storage } = serveFiles([]);
    const next = '2026-01-27T00:00:00.000Z-000000000000000000000001';
    answers['GET /api/files'] = { body: { files: [contract], next, storage } };
    answers[`GET /api/files?${new URLSearchParams({ cursor: next })}`] = {
      body: { files: [testFile(9)], next: null, storage },
    };
    answers[`GET /api/conversations?ids=${lease.id}`] = { body: [lease] };
    openLibrary();
    await userEvent.click(await screen.findByRole('button', { name: 'Show more' }));
    expect(await screen.findByText('file-9.pdf')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
  });

  it('says that it could not be loaded, and tries again', async () => {
    const { answers } = serveFiles([contract], titles);
    const working = answers['GET /api/files'];
    answers['GET /api/files'] = 'no network';
    openLibrary();
    const again = await screen.findByRole('button', { name: 'Try again' });
    if (working) answers['GET /api/files'] = working;
    await userEvent.click(again);
    expect(await screen.findByText('contract.pdf')).toBeTruthy();
  });
});

describe('the search', () => {
  it('asks the server, and says when nothing is found', async () => {
    const { answers, storage } = serveFiles([contract], titles);
    answers['GET /api/files?q=lock'] = { body: { files: [locked], next: null, storage } };
    answers['GET /api/files?q=owl'] = { body: { files: [], next: null, storage } };
    openLibrary();
    await screen.findByText('contract.pdf');
    const box = screen.getByRole('searchbox', { name: 'Search files' });
    await userEvent.type(box, 'lock');
    expect(await screen.findByText('locked.pdf')).toBeTruthy();
    expect(screen.queryByText('contract.pdf')).toBeNull();
    await userEvent.clear(box);
    await userEvent.type(box, 'owl');
    expect(await screen.findByText('No matching files')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Show all files' }));
    expect(await screen.findByText('contract.pdf')).toBeTruthy();
  });
});

describe('actions', () => {
  it('deletes a file after saying which conversations use it', async () => {
    const { answers, asked } = serveFiles([contract, locked], titles);
    answers[`DELETE /api/files/${contract.id}`] = { body: null };
    openLibrary();
    await screen.findByText('contract.pdf');
    await choose('contract.pdf', /Delete/);
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getByText(/can no longer be opened/)).toBeTruthy();
    expect(await dialog.findByText('Owls')).toBeTruthy();
    expect(dialog.getByText('The lease')).toBeTruthy();
    await userEvent.click(dialog.getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(screen.queryByText('contract.pdf')).toBeNull());
    expect(screen.getByText('locked.pdf')).toBeTruthy();
    expect(asked.map(({ call }) => call)).toContain(`DELETE /api/files/${contract.id}`);
  });

  it('keeps a file whose deletion fails', async () => {
    const { answers } = serveFiles([locked]);
    answers[`DELETE /api/files/${locked.id}`] = { status: 503, body: {} };
    openLibrary();
    await screen.findByText('locked.pdf');
    await choose('locked.pdf', /Delete/);
    const dialog = within(await screen.findByRole('dialog'));
    await userEvent.click(dialog.getByRole('button', { name: 'Delete' }));
    await waitFor(() =>
      expect(useToastStore.getState().current?.title).toBe('The file was not deleted'),
    );
    await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
    expect(rowOf('locked.pdf')).toBeTruthy();
  });

  it('attaches a file to a new message', async () => {
    serveFiles([locked]);
    openLibrary();
    await screen.findByText('locked.pdf');
    await choose('locked.pdf', 'Attach to a Message');
    expect(`${location.pathname}${location.search}`).toBe('/?c=new');
    expect(takeAttachedFiles().map(({ id }) => id)).toEqual([locked.id]);
    expect(takeAttachedFiles()).toEqual([]);
  });

  it('shows hostile names as text', async () => {
    serveFiles([testFile(1, { name: '<img src=x onerror="alert(1)">.pdf' })]);
    const { container } = openLibrary();
    expect(await screen.findByText('<img src=x onerror="alert(1)">.pdf')).toBeTruthy();
    expect(container.querySelector('img')).toBeNull();
  });
});
