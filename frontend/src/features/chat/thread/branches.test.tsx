import type { ReaderRole } from '@stolas/backend/contract';
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  composer,
  openScreen,
  replyOnScreen,
  server,
  startServer,
  toasted,
} from '../chat-screen.fixture.tsx';
import {
  completeReply,
  conversation,
  makeReply,
  makeThread,
  makeUserMessage,
} from '../chat-server.fixture.ts';

const route = '/api/conversations/c1/messages';

beforeEach(() => {
  startServer();
  server.messages = { c1: makeThread('First', 'One.', 'Second', 'Two.') };
});

async function open() {
  const user = await openScreen();
  await screen.findByText('Two.');
  return user;
}

const article = (id: string) => {
  const found = document.querySelector<HTMLElement>(`[data-message-id=${id}]`);
  if (!found) throw new Error(`${id} is not on screen`);
  return within(found);
};
const button = (id: string, name: string) =>
  article(id).getByRole<HTMLButtonElement>('button', { name });
const editor = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Edit message' });
const shown = () =>
  [...document.querySelectorAll<HTMLElement>('[data-message-id]')].map(
    ({ dataset }) => dataset.messageId,
  );

describe('editing a message', () => {
  it('sends the changed text as a sibling and shows that branch', async () => {
    const user = await open();
    await user.click(button('m2', 'Edit'));
    expect(editor().value).toBe('Second');
    expect(document.activeElement).toBe(editor());
    await user.clear(editor());
    await user.type(editor(), 'Another{Shift>}{Enter}{/Shift}second{Enter}');
    await waitFor(() => expect(shown()).toEqual(['m1', 'r1', 'm3', 'r3']));
    expect(server.posted(route)).toMatchObject([
      { content: 'Another\nsecond', parentId: 'r1', clientMessageId: expect.any(String) },
    ]);
    expect(screen.queryByRole('textbox', { name: 'Edit message' })).toBeNull();
    expect(toasted()?.title).toBe('Message sent');
    expect(article('m3').getByRole('group', { name: 'Version 2 of 2' })).toBeTruthy();
    await waitFor(() => expect(document.activeElement).toBe(composer()));
  });

  it('creates a sibling of the first message', async () => {
    const user = await open();
    await user.click(button('m1', 'Edit'));
    await user.type(editor(), '!{Enter}');
    await waitFor(() => expect(shown()).toEqual(['m3', 'r3']));
    expect(server.posted(route)).toMatchObject([{ content: 'First!', parentId: null }]);
  });

  it('is cancelled by Escape, and the focus returns to its button', async () => {
    const user = await open();
    await user.click(button('m1', 'Edit'));
    await user.type(editor(), ' and more{Escape}');
    expect(article('m1').getByText('First')).toBeTruthy();
    expect(document.activeElement).toBe(button('m1', 'Edit'));
    await user.click(button('m1', 'Edit'));
    expect(editor().value).toBe('First');
    await user.click(button('m1', 'Cancel'));
    expect(server.posted(route)).toEqual([]);
  });

  it('keeps the text when it fails, and sends it again under the same id', async () => {
    const user = await open();
    server.answer(`POST ${route}`, 503, { message: 'Try again in a moment.', code: 'unavailable' });
    await user.click(button('m2', 'Edit'));
    await user.type(editor(), ' try{Enter}');
    expect((await screen.findByRole('alert')).textContent).toContain('Try again in a moment.');
    expect(editor().value).toBe('Second try');
    server.usually(`POST ${route}`);
    await user.type(editor(), '{Enter}');
    await waitFor(() => expect(shown()).toEqual(['m1', 'r1', 'm3', 'r3']));
    const [first, second] = server.posted(route);
    expect(second).toEqual(first);
  });

  it('offers the plans when the quota is used up', async () => {
    const user = await open();
    server.answer(`POST ${route}`, 402, { message: 'Used up.', code: 'quota_exceeded' });
    await user.click(button('m2', 'Edit'));
    await user.type(editor(), '!{Enter}');
    const link = await screen.findByRole('link', { name: 'See plans' });
    expect(link.getAttribute('href')).toBe('/subscription?change=true');
  });

  it('ends when the socket reports the message, even if the answer was lost', async () => {
    const user = await open();
    const release = server.hold(`POST ${route}`);
    await user.click(button('m2', 'Edit'));
    await user.type(editor(), '!{Enter}');
    await waitFor(() => expect(server.posted(route)).toHaveLength(1));
    const [body] = server.posted(route) as [{ clientMessageId: string }];
    const message = makeUserMessage('c1', {
      id: 'm9',
      parentId: 'r1',
      siblingIds: ['m2', 'm9'],
      content: 'Second!',
      clientMessageId: body.clientMessageId,
    });
    act(() =>
      server.push('message:created', {
        message,
        reply: makeReply('c1', { id: 'r9', parentId: 'm9' }),
      }),
    );
    await waitFor(() => expect(shown()).toEqual(['m1', 'r1', 'm9', 'r9']));
    expect(screen.queryByRole('textbox', { name: 'Edit message' })).toBeNull();
    server.answer(`POST ${route}`, 503, { message: '-', code: 'unavailable' });
    release();
  });

  it('is not possible while a reply runs', async () => {
    server.messages.c1?.splice(3, 1, makeReply('c1', { id: 'r2', parentId: 'm2' }));
    await openScreen();
    await screen.findByText('Second');
    expect(button('m1', 'Edit').disabled).toBe(true);
    expect(button('r1', 'Regenerate').disabled).toBe(true);
  });
});

describe('regenerating a reply', () => {
  it('creates a sibling and shows it', async () => {
    const user = await open();
    await user.click(button('r2', 'Regenerate'));
    await waitFor(() => expect(shown()).toEqual(['m1', 'r1', 'm2', 'r2again']));
    expect(server.posted('/api/replies/r2/regenerate')).toHaveLength(1);
  });

  it('is repeated under the same id until it is answered, then under another one', async () => {
    const user = await open();
    const path = '/api/replies/r2/regenerate';
    server.answer(`POST ${path}`, 503, { message: '-', code: 'unavailable' });
    for (const count of [1, 2]) {
      await user.click(button('r2', 'Regenerate'));
      await waitFor(() => expect(server.posted(path)).toHaveLength(count));
      await waitFor(() => expect(button('r2', 'Regenerate').disabled).toBe(false));
    }
    const again = makeReply('c1', { id: 'r2again', parentId: 'm2', status: 'complete' });
    server.messages.c1?.push(again);
    server.answer(`POST ${path}`, 202, { reply: { ...again, siblingIds: ['r2', 'r2again'] } });
    await user.click(button('r2', 'Regenerate'));
    await waitFor(() => expect(shown()).toEqual(['m1', 'r1', 'm2', 'r2again']));
    await user.click(button('r2again', 'Previous version'));
    await waitFor(() => expect(shown()).toEqual(['m1', 'r1', 'm2', 'r2']));
    await user.click(button('r2', 'Regenerate'));
    await waitFor(() => expect(server.posted(path)).toHaveLength(4));
    const [first, second, third, fourth] = server.posted(path);
    expect(first).toEqual({ clientReplyId: expect.any(String) as string });
    expect([second, third]).toEqual([first, first]);
    expect(fourth).not.toEqual(first);
  });

  it('of an earlier message keeps the later messages on the former branch', async () => {
    const user = await open();
    await user.click(button('r1', 'Regenerate'));
    await waitFor(() => expect(shown()).toEqual(['m1', 'r1again']));
  });

  it('shows why it is refused', async () => {
    const user = await open();
    const message = '3 replies are running already. Wait until one has ended, or stop one.';
    server.answer('POST /api/replies/r2/regenerate', 429, { message, code: 'too_many_replies' });
    await user.click(button('r2', 'Regenerate'));
    await waitFor(() => expect(toasted()).toMatchObject({ title: 'Error', description: message }));
    expect(replyOnScreen()).not.toBeNull();
  });
});

describe('versions of a message', () => {
  beforeEach(() => {
    server.messages.c1?.push(
      makeUserMessage('c1', { id: 'm3', parentId: 'r1', content: 'Third' }),
      completeReply('Three.', { id: 'r3', parentId: 'm3' }),
    );
  });
  const openThird = async () => {
    const user = await openScreen();
    await screen.findByText('Three.');
    return user;
  };

  it('are switched for the whole conversation, and the focus stays on the switcher', async () => {
    const user = await openThird();
    expect(article('m3').getByText('2/2')).toBeTruthy();
    expect(button('m3', 'Next version').disabled).toBe(true);
    await user.click(button('m3', 'Previous version'));
    await waitFor(() => expect(shown()).toEqual(['m1', 'r1', 'm2', 'r2']));
    const patches = server.requests.filter(({ method }) => method === 'PATCH');
    expect(patches).toMatchObject([
      { path: '/api/conversations/c1', body: { activeLeafId: 'm2' } },
    ]);
    expect(article('m2').getByRole('group', { name: 'Version 1 of 2' })).toBeTruthy();
    await waitFor(() => expect(document.activeElement).toBe(button('m2', 'Next version')));
    await user.keyboard('{Enter}');
    await waitFor(() => expect(shown()).toEqual(['m1', 'r1', 'm3', 'r3']));
    await waitFor(() => expect(document.activeElement).toBe(button('m3', 'Previous version')));
  });

  it('are not shown for a message that has only one', async () => {
    await openThird();
    expect(article('m1').queryByRole('button', { name: 'Next version' })).toBeNull();
    expect(article('r3').queryByRole('button', { name: 'Next version' })).toBeNull();
  });

  it('cannot be switched while a reply runs', async () => {
    const user = await openThird();
    const release = server.hold(`POST ${route}`);
    await user.type(composer(), 'Fourth{Enter}');
    expect(button('m3', 'Previous version').disabled).toBe(true);
    release();
    await waitFor(() => expect(shown()).toContain('r4'));
    expect(button('m3', 'Previous version').disabled).toBe(true);
  });

  const BOB = { id: 'b', name: 'Bob Lee' };
  const share = (role: ReaderRole) => {
    const shared = { role, owner: BOB };
    server.conversations = [{ ...conversation('c1', 'Stars above the house'), shared }];
  };

  it('are switched by viewers too, who cannot edit', async () => {
    share('viewer');
    const versions = { parentId: 'm3', status: 'complete', attempt: 1 } as const;
    server.messages.c1?.push(makeReply('c1', { ...versions, id: 'r4', content: 'Four.' }));
    const user = await openScreen();
    await screen.findByText('Four.');
    expect(article('m3').queryByRole('button', { name: 'Edit' })).toBeNull();
    await user.click(button('r4', 'Previous version'));
    await waitFor(() => expect(shown()).toEqual(['m1', 'r1', 'm3', 'r3']));
    await user.click(button('m3', 'Previous version'));
    await waitFor(() => expect(shown()).toEqual(['m1', 'r1', 'm2', 'r2']));
  });

  it('are switched while a reply of somebody else runs, and not while one of the same user does', async () => {
    share('editor');
    const { id, firstName: name } = server.user;
    const reply = makeReply('c1', { id: 'r4', parentId: 'm4', author: BOB });
    server.messages.c1?.push(
      makeUserMessage('c1', { id: 'm4', parentId: 'r3', content: 'Fourth', author: BOB }),
      reply,
    );
    const user = await openThird();
    expect(button('m3', 'Edit').disabled).toBe(true);
    await user.click(button('m3', 'Previous version'));
    await waitFor(() => expect(shown()).toEqual(['m1', 'r1', 'm2', 'r2']));
    reply.author = { id, name };
    await user.click(button('m2', 'Next version'));
    await waitFor(() => expect(shown()).toContain('r4'));
    expect(button('m3', 'Previous version').disabled).toBe(true);
  });

  it('stay unchanged when switching fails', async () => {
    const user = await openThird();
    server.answer('PATCH /api/conversations/c1', 503, { message: 'Not now.', code: 'unavailable' });
    await user.click(button('m3', 'Previous version'));
    await waitFor(() => expect(toasted()?.description).toBe('Not now.'));
    expect(shown()).toEqual(['m1', 'r1', 'm3', 'r3']);
    expect(button('m3', 'Previous version').disabled).toBe(false);
  });
});
