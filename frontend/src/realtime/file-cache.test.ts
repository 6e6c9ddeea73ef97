import type { FileList, UserFile } from '@stolas/backend/contract';
import { QueryClient } from '@tanstack/react-query';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type FilePages,
  fileKey,
  fileListKey,
  filePagesKey,
  removeFile,
  updateFile,
} from './file-cache.ts';

const file = (id: string, fields: Partial<UserFile> = {}): UserFile => ({
  id,
  name: `${id}.pdf`,
  type: 'application/pdf',
  size: 100,
  sha256: '',
  kind: 'pdf',
  state: 'reading',
  url: `/api/files/${id}`,
  createdAt: `2026-01-0${id}T10:00:00.000Z`,
  conversationIds: [],
  ...fields,
});

const list = (...files: UserFile[]): FileList => ({
  files,
  next: null,
  storage: { used: files.length * 100, limit: 1000 },
});

let client: QueryClient;
const put = (q: string, ...pages: FileList[]) =>
  client.setQueryData<FilePages>(fileListKey(q), { pages, pageParams: pages.map(() => null) });
const pagesOf = (q = '') => client.getQueryData<FilePages>(fileListKey(q))?.pages ?? [];
const idsOf = (q = '') => pagesOf(q).flatMap(({ files }) => files.map(({ id }) => id));
const usedOf = () => pagesOf()[0]?.storage.used;

beforeEach(() => {
  client = new QueryClient();
});

describe('a changed file', () => {
  it('is replaced where it stands, on any page, and nothing is read again', () => {
    put('', list(file('3')), list(file('2')));
    const invalidate = vi.spyOn(client, 'invalidateQueries');
    updateFile(client, file('2', { state: 'ready' }));
    expect(pagesOf()[1]?.files[0]?.state).toBe('ready');
    expect(client.getQueryData<UserFile>(fileKey('2'))?.state).toBe('ready');
    expect(usedOf()).toBe(100);
    expect(invalidate).not.toHaveBeenCalled();
  });

  it('has its pages read again when text is recognised in them', async () => {
    const page = [...filePagesKey('2'), 1];
    client.setQueryData(page, {});
    const isStale = async () => {
      await Promise.resolve();
      return client.getQueryState(page)?.isInvalidated;
    };
    updateFile(client, file('2', { state: 'ready', recognition: { done: 0, total: 2 } }));
    expect(await isStale()).toBe(false);
    updateFile(client, file('2', { state: 'ready' }));
    expect(await isStale()).toBe(true);
  });

  it('comes first when it is new, takes storage, and only where its name is searched for', () => {
    put('', list(file('1')));
    put('rep', list());
    put('REPORT', list());
    updateFile(client, file('2', { name: 'Report.pdf' }));
    updateFile(client, file('2', { name: 'Report.pdf', progress: { done: 1, total: 2 } }));
    updateFile(client, file('3', { name: 'letter.pdf' }));
    expect(idsOf()).toEqual(['3', '2', '1']);
    expect(idsOf('rep')).toEqual(['2']);
    expect(idsOf('REPORT')).toEqual(['2']);
    expect(usedOf()).toBe(300);
  });

  it('is inserted by its time: the event of the older of two uploads may arrive last', () => {
    put('', { ...list(file('6')), next: 'after-6' }, list(file('3'), file('1')));
    for (const id of ['7', '5', '2']) updateFile(client, file(id));
    expect(pagesOf().map(({ files }) => files.map(({ id }) => id))).toEqual([
      ['7', '6'],
      ['5', '3', '2', '1'],
    ]);
    expect(usedOf()).toBe(400);
  });

  it('of the same moment is inserted by its id, as on the server', () => {
    const { createdAt } = file('1');
    put('', list(file('c', { createdAt }), file('a', { createdAt })));
    updateFile(client, file('b', { createdAt }));
    expect(idsOf()).toEqual(['c', 'b', 'a']);
  });

  it('comes last when it is the oldest and everything was read', () => {
    put('', list(file('5')));
    updateFile(client, file('1'));
    expect(idsOf()).toEqual(['5', '1']);
  });

  it('that somebody else shares is listed, and takes no storage of the user', () => {
    put('', list(file('1')));
    const owner = { id: 'b', name: 'Bob Lee' };
    updateFile(client, file('2', { shared: { role: 'manager', owner } }));
    expect(idsOf()).toEqual(['2', '1']);
    expect(usedOf()).toBe(100);
    removeFile(client, '2');
    expect(idsOf()).toEqual(['1']);
    expect(usedOf()).toBe(100);
    updateFile(client, file('3', { shared: { role: 'owner', owner } }));
    expect(usedOf()).toBe(200);
  });

  it('stays out of the list when it is on a page that was not read', () => {
    put('', { ...list(file('5')), next: 'after-5' });
    updateFile(client, file('1'));
    expect(idsOf()).toEqual(['5']);
    expect(usedOf()).toBe(100);
  });
});

describe('a deleted file', () => {
  it('leaves every list and its storage', () => {
    put('', list(file('2'), file('1')));
    put('2', list(file('2')));
    removeFile(client, '2');
    expect(idsOf()).toEqual(['1']);
    expect(idsOf('2')).toEqual([]);
    expect(usedOf()).toBe(100);
    expect(client.getQueryData(fileKey('2'))).toBeNull();
  });

  it('that no list holds makes the lists stale', async () => {
    put('', list(file('2')));
    removeFile(client, '9');
    await Promise.resolve();
    expect(client.getQueryState(fileListKey(''))?.isInvalidated).toBe(true);
    expect(idsOf()).toEqual(['2']);
  });
});
