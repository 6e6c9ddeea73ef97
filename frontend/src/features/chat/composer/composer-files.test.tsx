import type { MessageFile, UserFile } from '@stolas/backend/contract';
import { act, createEvent, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { BasePlugin } from '@uppy/core';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { UploadServer, userFile } from '../../../lib/upload-server.fixture.ts';
import { useToastStore } from '../../../ui/toast-store.ts';
import {
  composer,
  openScreen,
  replyOnScreen,
  server,
  startServer,
  toasted,
} from '../chat-screen.fixture.tsx';
import { completeReply, conversation, makeUserMessage } from '../chat-server.fixture.ts';

// The plugin needs IndexedDB, which happy-dom lacks; e2e/files.test.ts uses the real one.
vi.mock('@uppy/golden-retriever', () => ({
  default: class extends BasePlugin<object, never, never> {
    override id = 'GoldenRetriever';
    override type = 'debugger';
  },
}));

const route = '/api/conversations/c1/messages';
let store: UploadServer;

beforeEach(() => {
  startServer();
  store = new UploadServer();
  store.install();
  const { fetch } = server;
  vi.stubGlobal('fetch', async (path: string, init: { method?: string; body?: string } = {}) => {
    const body: unknown = init.body ? JSON.parse(init.body) : undefined;
    return store.answer(init.method ?? 'GET', path, body) ?? fetch(path, init);
  });
});

const owls = (name = 'owls.txt') => new File(['Hoot.'], name, { type: 'text/plain' });
const chips = () => screen.queryByRole('list', { name: 'Files of this message' });
const chip = async (name: string) => {
  const list = await screen.findByRole('list', { name: 'Files of this message' });
  const found = within(list)
    .getAllByRole('listitem')
    .find((item) => item.textContent.includes(name));
  if (!found) throw new Error(`There is no chip of ${name}`);
  return found;
};

/** Sends the first message of a conversation, and waits until it has gone with the file. */
async function sendOwls(user: Awaited<ReturnType<typeof openScreen>>) {
  await user.type(composer(), 'What do owls say?{Enter}');
  await waitFor(() =>
    expect(server.posted('/api/conversations')).toMatchObject([
      { message: { files: [{ name: 'owls.txt' }] } },
    ]),
  );
  await waitFor(() => expect(chips()).toBeNull());
}

function drop(...files: File[]): Event {
  const items = files.map((file) => ({ kind: 'file', getAsFile: () => file }));
  const event = createEvent.drop(window, { dataTransfer: { types: ['Files'], items, files } });
  fireEvent(window, event);
  return event;
}

function holdUploads() {
  const release = store.holdBytes();
  return () => act(release);
}

const failUploads = () => {
  store.answerBytes = () => ({ status: 403 });
};

describe('a dropped file', () => {
  it('is uploaded, shown, sent with the message, and gone after the send', async () => {
    const user = await openScreen();
    drop(owls());
    await waitFor(() => expect(store.posted('/api/objects/attach')).toHaveLength(1));
    const item = await chip('owls.txt');
    await waitFor(() => expect(item.textContent).toContain('Waiting to be read'));
    await user.type(composer(), 'What do owls say?{Enter}');
    await waitFor(() => expect(server.posted(route)).toHaveLength(1));
    const id = '1'.padStart(24, '0');
    expect(server.posted(route)).toMatchObject([{ files: [{ id, name: 'owls.txt' }] }]);
    await waitFor(() => expect(chips()).toBeNull());
    expect(localStorage.getItem(`draft:${server.user.id}:c1`)).toBeNull();
  });

  it('shows how far it is read, and why it cannot be', async () => {
    await openScreen();
    drop(owls());
    const item = await chip('owls.txt');
    await waitFor(() => expect(item.textContent).toContain('Waiting to be read'));
    const file = userFile({ id: '1'.padStart(24, '0'), name: 'owls.txt' });
    act(() =>
      server.push('file:changed', { ...file, state: 'reading', progress: { done: 3, total: 9 } }),
    );
    await waitFor(() => expect(item.textContent).toContain('Reading 3 of 9'));
    const scan = { ...file, state: 'ready' } as const;
    const recognition = { done: 2, total: 12 };
    act(() => server.push('file:changed', { ...scan, recognition }));
    await waitFor(() => expect(item.textContent).toContain('Recognising text, page 3 of 12'));
    const progress = within(item).getByRole('progressbar').getAttribute('aria-valuenow');
    expect(progress).toBe('17');
    const unread: UserFile['unread'] = [{ kind: 'no_text', count: 2, pages: [5, 6] }];
    act(() => server.push('file:changed', { ...scan, unread }));
    await waitFor(() => expect(item.textContent).toContain('2 pages have no readable text'));
    const problem = { code: 'encrypted', message: 'Remove its password.' } as const;
    act(() => server.push('file:changed', { ...file, state: 'failed', problem }));
    await waitFor(() => expect(item.textContent).toContain('Remove its password.'));
  });

  it('that was deleted meanwhile is not sent', async () => {
    const user = await openScreen();
    drop(owls());
    const item = await chip('owls.txt');
    await waitFor(() => expect(item.textContent).toContain('Waiting to be read'));
    act(() => server.push('file:deleted', { id: '1'.padStart(24, '0') }));
    await waitFor(() => expect(item.textContent).toContain('This file was deleted.'));
    await user.type(composer(), 'Go on{Enter}');
    await waitFor(() => expect(server.posted(route)).toHaveLength(1));
    expect(server.posted(route)[0]).not.toHaveProperty('files');
  });

  it('is kept with its draft over a reload, and until the user comes back', async () => {
    const user = await openScreen();
    drop(owls());
    await waitFor(() =>
      expect(localStorage.getItem(`draft:${server.user.id}:c1`)).toContain('owls.txt'),
    );
    await user.click(screen.getByRole('button', { name: 'New Chat' }));
    await waitFor(() => expect(chips()).toBeNull());
    await user.click(screen.getByRole('link', { name: /Stars above/ }));
    expect(await chip('owls.txt')).toBeTruthy();
  });

  it('is removed by its button', async () => {
    const user = await openScreen();
    drop(owls('a.txt'), owls('b.txt'));
    await waitFor(() => expect(store.posted('/api/objects/attach')).toHaveLength(2));
    await user.click(await screen.findByRole('button', { name: 'Remove a.txt' }));
    expect(screen.queryByRole('button', { name: 'Remove a.txt' })).toBeNull();
    expect(screen.getByRole('button', { name: 'Remove b.txt' })).toBeTruthy();
  });

  it('is sent by the first message of a new conversation', async () => {
    const user = await openScreen('/?c=new');
    drop(owls());
    await waitFor(() => expect(store.posted('/api/objects/attach')).toHaveLength(1));
    await sendOwls(user);
  });

  it('is kept when the message is refused', async () => {
    const user = await openScreen();
    drop(owls());
    await waitFor(() => expect(store.posted('/api/objects/attach')).toHaveLength(1));
    server.answer(`POST ${route}`, 503, { message: 'Try again.', code: 'unavailable' });
    await user.type(composer(), 'Later{Enter}');
    await waitFor(() => expect(composer().value).toBe('Later'));
    expect(await chip('owls.txt')).toBeTruthy();
    server.usually(`POST ${route}`);
    await user.type(composer(), '{Enter}');
    await waitFor(() => expect(replyOnScreen()).not.toBeNull());
    const [first, second] = server.posted(route);
    expect(second).toEqual(first);
  });
});

describe('a send while files are uploaded', () => {
  it('waits for them, and typing goes on', async () => {
    const user = await openScreen();
    const release = holdUploads();
    drop(owls());
    await chip('owls.txt');
    await user.type(composer(), 'What do owls say?{Enter}');
    expect(await screen.findByText('Sends when the files are uploaded')).toBeTruthy();
    expect(server.posted(route)).toEqual([]);
    await user.type(composer(), ' Please.');
    release();
    await waitFor(() => expect(server.posted(route)).toHaveLength(1));
    expect(server.posted(route)).toMatchObject([
      { content: 'What do owls say? Please.', files: [{ name: 'owls.txt' }] },
    ]);
    expect(screen.queryByText('Sends when the files are uploaded')).toBeNull();
  });

  it('goes without them when the user says so, and they stay for the next message', async () => {
    const user = await openScreen();
    const release = holdUploads();
    drop(owls());
    await chip('owls.txt');
    await user.type(composer(), 'Now{Enter}');
    await user.click(await screen.findByRole('button', { name: 'Send without them' }));
    await waitFor(() => expect(server.posted(route)).toHaveLength(1));
    expect(server.posted(route)[0]).not.toHaveProperty('files');
    release();
    const item = await chip('owls.txt');
    await waitFor(() => expect(item.textContent).toContain('owls.txt'));
    expect(composer().value).toBe('');
  });

  it('that creates the conversation leaves them to it', async () => {
    const user = await openScreen('/?c=new');
    const release = holdUploads();
    drop(owls());
    await chip('owls.txt');
    await user.type(composer(), 'Now{Enter}');
    await user.click(await screen.findByRole('button', { name: 'Send without them' }));
    await waitFor(() => expect(location.search).not.toBe('?c=new'));
    release();
    await waitFor(() => {
      const id = new URLSearchParams(location.search).get('c');
      expect(localStorage.getItem(`draft:${server.user.id}:${id}`)).toContain('owls.txt');
    });
    expect(localStorage.getItem(`draft:${server.user.id}:new`)).toBeNull();
  });

  it('does not go when the user takes it back', async () => {
    const user = await openScreen();
    const release = holdUploads();
    drop(owls());
    await chip('owls.txt');
    await user.type(composer(), 'Wait{Enter}');
    await user.click(await screen.findByRole('button', { name: 'Do not send yet' }));
    release();
    await waitFor(() => expect(store.posted('/api/objects/attach')).toHaveLength(1));
    expect(server.posted(route)).toEqual([]);
    expect(composer().value).toBe('Wait');
  });
});

describe('a file that is uploaded while its conversation is deleted', () => {
  const deleteIt = async () => {
    act(() => server.push('conversation:deleted', { id: 'c1' }));
    await screen.findByText('This conversation was deleted');
  };
  const newChat = () => screen.getAllByRole('button', { name: 'New Chat' }).at(-1) as HTMLElement;

  it('goes to the new chat and is sent there', async () => {
    const user = await openScreen();
    const release = holdUploads();
    drop(owls());
    await chip('owls.txt');
    await deleteIt();
    await user.click(newChat());
    expect(await chip('owls.txt')).toBeTruthy();
    release();
    await waitFor(() => expect(store.posted('/api/objects/attach')).toHaveLength(1));
    await sendOwls(user);
  });

  it('leaves the files alone that are uploaded in the new chat', async () => {
    const user = await openScreen('/?c=new');
    const release = holdUploads();
    drop(owls('new.txt'));
    await chip('new.txt');
    await user.click(screen.getByRole('link', { name: /Stars above/ }));
    await waitFor(() => expect(chips()).toBeNull());
    drop(owls('old.txt'));
    await chip('old.txt');
    await deleteIt();
    await user.click(newChat());
    expect(await chip('new.txt')).toBeTruthy();
    release();
    await waitFor(() => expect(store.posted('/api/objects/attach')).toHaveLength(2));
    await waitFor(() =>
      expect(localStorage.getItem(`draft:${server.user.id}:c1`)).toContain('old.txt'),
    );
  });
});

describe('a file that cannot be uploaded', () => {
  it('does not block the message, is left out with a notice, and stays', async () => {
    failUploads();
    const user = await openScreen();
    drop(owls());
    await waitFor(() => expect(toasted()?.title).toBe('Failed to upload owls.txt'));
    await user.type(composer(), 'Go on{Enter}');
    await waitFor(() => expect(server.posted(route)).toHaveLength(1));
    expect(server.posted(route)[0]).not.toHaveProperty('files');
    await waitFor(() => expect(toasted()?.title).toBe('Message sent'));
    expect(toasted()?.description).toContain('“owls.txt”');
    expect((await chip('owls.txt')).textContent).toContain('Upload failed');
  });

  it('is uploaded by a retry', async () => {
    failUploads();
    const user = await openScreen();
    drop(owls());
    const retry = await screen.findByRole('button', { name: 'Retry owls.txt' });
    store.answerBytes = () => ({ status: 200, etag: '"e"' });
    await user.click(retry);
    await waitFor(() => expect(store.posted('/api/objects/attach')).toHaveLength(1));
    expect(await screen.findByRole('button', { name: 'Remove owls.txt' })).toBeTruthy();
  });
});

describe('a paste', () => {
  it('of a text that is too long becomes a file, and Undo brings the text back', async () => {
    const user = await openScreen();
    await user.type(composer(), 'See: ');
    await user.paste('x'.repeat(32_000));
    expect(await chip('Pasted text.txt')).toBeTruthy();
    expect(composer().value).toBe('See: ');
    await screen.findByRole('button', { name: 'Remove Pasted text.txt' });
    expect(toasted()).toMatchObject({ title: 'Attached as a file', action: { label: 'Undo' } });
    act(() => toasted()?.action?.onSelect());
    await waitFor(() => expect(composer().value).toBe(`See: ${'x'.repeat(32_000)}`));
    expect(chips()).toBeNull();
  });

  it('offers Undo until the message is sent', async () => {
    const user = await openScreen();
    await user.type(composer(), 'See: ');
    await user.paste('x'.repeat(32_000));
    await screen.findByRole('button', { name: 'Remove Pasted text.txt' });
    expect(toasted()?.duration).toBe(Number.POSITIVE_INFINITY);
    await user.type(composer(), 'this.{Enter}');
    await waitFor(() => expect(toasted()?.title).toBe('Message sent'));
    expect(useToastStore.getState().waiting).toEqual([]);
  });

  it('is undone', async () => {
    const user = await openScreen();
    await user.type(composer(), 'See: ');
    const release = holdUploads();
    await user.paste('x'.repeat(32_000));
    await chip('Pasted text.txt');
    expect(toasted()).toMatchObject({ title: 'Attached as a file', action: { label: 'Undo' } });
    act(() => toasted()?.action?.onSelect());
    await waitFor(() => expect(composer().value).toBe(`See: ${'x'.repeat(32_000)}`));
    release();
    await waitFor(() => expect(chips()).toBeNull());
  });

  it('of files attaches them', async () => {
    await openScreen();
    const files = [new File(['p'], 'image.png', { type: 'image/png' })];
    fireEvent.paste(composer(), { clipboardData: { files, types: ['Files'], getData: () => '' } });
    expect(await chip('image.png')).toBeTruthy();
  });
});

/** The conversation c1 is shared with the user, who may write in it. */
const shareC1 = () => {
  const shared = { role: 'editor', owner: { id: 'b', name: 'Bob Lee' } } as const;
  server.conversations = [
    { ...conversation('c1', 'Stars above the house'), shared },
    conversation('c2', 'Night sky'),
  ];
};

describe('in a conversation of somebody else', () => {
  beforeEach(() => {
    shareC1();
    server.messages.c2 = [];
  });

  it('ignores dropped and pasted files', async () => {
    const user = await openScreen('/?c=c2');
    const drag = () => fireEvent.dragEnter(window, { dataTransfer: { types: ['Files'] } });
    const note = () => screen.queryByText('Drop your files here');
    drag();
    await waitFor(() => expect(note()).toBeTruthy());
    drop(owls('first.txt'));
    expect(await chip('first.txt')).toBeTruthy();

    await user.click(screen.getByRole('link', { name: /Stars above/ }));
    await waitFor(() => expect(chips()).toBeNull());
    drag();
    expect(note()).toBeNull();
    // Else the browser would open the file in place of the page.
    expect(drop(owls('dropped.txt')).defaultPrevented).toBe(true);
    const files = [owls('pasted.txt')];
    fireEvent.paste(composer(), { clipboardData: { files, types: ['Files'], getData: () => '' } });
    await user.type(composer(), 'Hello{Enter}');
    await waitFor(() => expect(server.posted(route)).toHaveLength(1));
    expect(server.posted(route)[0]).not.toHaveProperty('files');

    await user.click(screen.getByRole('link', { name: /Night sky/ }));
    await chip('first.txt');
    drop(owls('last.txt'));
    await waitFor(() =>
      expect(store.posted('/api/objects/attach').at(-1)).toMatchObject({ fileName: 'last.txt' }),
    );
    expect(store.posted('/api/objects/attach')).toHaveLength(2);
  });

  it('leaves a pasted text that is too long in the message, which says so', async () => {
    const user = await openScreen();
    await user.type(composer(), 'See: ');
    await user.paste('x'.repeat(32_000));
    expect(composer().value).toBe(`See: ${'x'.repeat(32_000)}`);
    expect(await screen.findByText(/5 characters too long to send/)).toBeTruthy();
    expect(toasted()).toBeNull();
  });
});

describe('an edited message', () => {
  const edit = async () => {
    const user = await openScreen();
    await user.click(await screen.findByRole('button', { name: 'Edit' }));
    return {
      send: async () => {
        await user.type(screen.getByRole('textbox', { name: 'Edit message' }), ' Really?{Enter}');
        await waitFor(() => expect(server.posted(route)).toHaveLength(1));
        return server.posted(route)[0];
      },
    };
  };
  const naming = (...files: MessageFile[]) => {
    server.messages = {
      c1: [
        makeUserMessage('c1', { content: 'What do owls say?', metadata: { files } }),
        completeReply('Hoot.'),
      ],
    };
  };
  const OWLS = { id: 'a'.repeat(24), name: 'owls.txt', url: '/api/files/a' };
  const MICE = { id: 'b'.repeat(24), name: 'mice.txt', url: '/api/files/b' };
  const serveFile = ({ id }: { id: string }, ...files: UserFile[]) =>
    server.answer(`GET /api/files?ids=${id}`, 200, {
      files,
      next: null,
      storage: { used: 0, limit: 1 },
    });

  it('keeps its files', async () => {
    naming(OWLS);
    serveFile(OWLS, userFile(OWLS));
    const { send } = await edit();
    expect(await send()).toMatchObject({ files: [{ id: OWLS.id, name: 'owls.txt' }] });
    expect(screen.queryByText(/left out/)).toBeNull();
  });

  it('leaves out a file that was deleted, and says so', async () => {
    naming(OWLS, MICE);
    serveFile(OWLS);
    serveFile(MICE, userFile(MICE));
    const { send } = await edit();
    expect(await screen.findByText(/^“owls.txt” is left out/)).toBeTruthy();
    expect(await send()).toMatchObject({ files: [{ id: MICE.id }] });
  });

  it('leaves out a file that only a conversation opens, and says so', async () => {
    naming(OWLS);
    serveFile(OWLS, { ...userFile(OWLS), isReadOnly: true });
    const { send } = await edit();
    expect(await screen.findByText(/^“owls.txt” is left out/)).toBeTruthy();
    expect(await send()).not.toHaveProperty('files');
  });

  it('waits for the answer about its files, and keeps those of which nothing is known', async () => {
    naming(OWLS);
    const release = server.hold('GET /api/files');
    const { send } = await edit();
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Send' });
    expect(button.disabled).toBe(true);
    release();
    await waitFor(() => expect(button.disabled).toBe(false));
    expect(await send()).toMatchObject({ files: [{ id: OWLS.id }] });
  });

  it('leaves out a file of which an import has only the name', async () => {
    naming({ name: 'owls.txt' });
    const { send } = await edit();
    expect(await screen.findByText(/^“owls.txt” is left out/)).toBeTruthy();
    expect(await send()).not.toHaveProperty('files');
  });

  it('leaves out all files in a conversation of somebody else', async () => {
    shareC1();
    naming(OWLS, MICE);
    const { send } = await edit();
    expect(await screen.findByText(/^2 files are left out/)).toBeTruthy();
    expect(await send()).not.toHaveProperty('files');
  });
});
