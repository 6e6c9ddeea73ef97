import type { Reply } from '@stolas/backend/contract';
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { queryClient } from '../../lib/query-client.ts';
import {
  composer,
  openScreen,
  replyOnScreen,
  server,
  startServer,
  toasted,
} from './chat-screen.fixture.tsx';
import {
  conversation,
  makeReply,
  makeSent,
  makeUserMessage,
  type TestServer,
} from './chat-server.fixture.ts';

const at = { replyId: 'r1', conversationId: 'c1' };
const firstPart = { part: 0, type: 'text' } as const;
const route = 'POST /api/conversations/c1/messages';

beforeEach(startServer);

const push: TestServer['push'] = (...event) => act(() => server.push(...event));

describe('sending', () => {
  it('shows the message at once, then the reply as it grows, then that it is complete', async () => {
    const user = await openScreen();
    const release = server.hold(route);
    await user.type(composer(), 'Which star is that?{Enter}');

    expect(await screen.findByText('Which star is that?')).toBeTruthy();
    expect(await screen.findByText('STOLAS is thinking')).toBeTruthy();
    expect(composer().disabled).toBe(true);

    release();
    await waitFor(() => expect(replyOnScreen()?.dataset.status).toBe('queued'));
    expect(toasted()?.title).toBe('Message sent');
    expect(composer().disabled).toBe(false);
    expect(screen.getAllByText('Which star is that?')).toHaveLength(1);

    push('reply:state', { ...at, attempt: 1, status: 'streaming', length: 0 });
    push('reply:delta', { ...at, ...firstPart, attempt: 1, offset: 0, delta: 'That is **Vega**' });
    await waitFor(() => expect(replyOnScreen()?.textContent).toContain('That is Vega'));
    expect(screen.queryByText('STOLAS is thinking')).toBeNull();

    push('reply:delta', { ...at, ...firstPart, attempt: 1, offset: 16, delta: ' in Lyra.' });
    push('reply:state', { ...at, attempt: 1, status: 'complete', length: 25 });
    await waitFor(() => expect(replyOnScreen()?.dataset.status).toBe('complete'));
    expect(replyOnScreen()?.textContent).toContain('That is Vega in Lyra.');
    await waitFor(() =>
      expect(document.querySelector('[aria-live=polite]')?.textContent).toContain('STOLAS replied'),
    );
  });

  it('tells screen readers of each reply, also when they hear the same of two', async () => {
    const heard = () => document.querySelector('[aria-live=polite]')?.textContent;
    const user = await openScreen();
    for (const replyId of ['r1', 'r2']) {
      await user.type(composer(), 'Hello{Enter}');
      await waitFor(() =>
        expect(document.querySelectorAll('[data-status=queued]')).toHaveLength(1),
      );
      expect(heard()).toBe('');
      push('reply:state', { ...at, replyId, attempt: 1, status: 'stopped', length: 0 });
      await waitFor(() => expect(heard()).not.toBe(''));
    }
  });

  it('never removes text from the screen when the reply completes', async () => {
    const user = await openScreen();
    await user.type(composer(), 'Hello{Enter}');
    await waitFor(() => expect(replyOnScreen()).not.toBeNull());
    push('reply:delta', { ...at, ...firstPart, attempt: 1, offset: 0, delta: 'Good evening' });
    await waitFor(() => expect(replyOnScreen()?.textContent).toContain('Good evening'));
    const shown: boolean[] = [];
    const observer = new MutationObserver(() =>
      shown.push(replyOnScreen()?.textContent.includes('Good evening') ?? false),
    );
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    push('reply:state', { ...at, attempt: 1, status: 'complete', length: 12 });
    await waitFor(() => expect(replyOnScreen()?.dataset.status).toBe('complete'));
    observer.disconnect();
    expect(shown).not.toContain(false);
  });

  it('inserts a line break with Shift+Enter and does not send blank text', async () => {
    const user = await openScreen();
    await user.type(composer(), '   {Enter}');
    await user.clear(composer());
    await user.type(composer(), 'one{Shift>}{Enter}{/Shift}two');
    expect(composer().value).toBe('one\ntwo');
    expect(server.posted('/api/conversations/c1/messages')).toEqual([]);
  });

  it('does not send on the Enter that ends a composition', async () => {
    const user = await openScreen();
    await user.type(composer(), 'にほん');
    composer().dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true }),
    );
    expect(server.posted('/api/conversations/c1/messages')).toEqual([]);
    expect(composer().value).toBe('にほん');
  });

  it('restores the text when it fails, and sends it again under the same id', async () => {
    const user = await openScreen();
    server.answer(route, 503, { message: 'Try again in a moment.', code: 'unavailable' });
    await user.type(composer(), 'Keep me{Enter}');
    await waitFor(() => expect(composer().value).toBe('Keep me'));
    expect(toasted()).toMatchObject({ title: 'Error', description: 'Try again in a moment.' });

    server.usually(route);
    await user.type(composer(), '{Enter}');
    await waitFor(() => expect(replyOnScreen()).not.toBeNull());
    const [first, second] = server.posted('/api/conversations/c1/messages');
    expect(second).toEqual(first);
    expect(composer().value).toBe('');
  });

  it('uses another id when the text was changed in between', async () => {
    const user = await openScreen();
    server.answer(route, 503, { message: 'Try again in a moment.', code: 'unavailable' });
    await user.type(composer(), 'One{Enter}');
    await waitFor(() => expect(composer().value).toBe('One'));
    await user.type(composer(), ' two{Enter}');
    await waitFor(() => expect(server.posted('/api/conversations/c1/messages')).toHaveLength(2));
    const ids = server
      .posted('/api/conversations/c1/messages')
      .map((body) => (body as { clientMessageId: string }).clientMessageId);
    expect(new Set(ids).size).toBe(2);
  });

  it('offers the plans when the quota is used up', async () => {
    const user = await openScreen();
    server.answer(route, 402, { message: 'Used up.', code: 'quota_exceeded' });
    await user.type(composer(), 'More{Enter}');
    await waitFor(() => expect(toasted()?.action?.label).toBe('See plans'));
    act(() => toasted()?.action?.onSelect());
    expect(location.pathname + location.search).toBe('/subscription?change=true');
  });

  it('shows AI is Still Processing when the gateway timed out', async () => {
    const user = await openScreen();
    server.answer(route, 524, undefined);
    await user.type(composer(), 'Slow one{Enter}');
    await waitFor(() => expect(toasted()?.title).toBe('AI is Still Processing'));
    expect(toasted()?.duration).toBe(10_000);
    expect(composer().value).toBe('');
    expect(screen.getByText('Slow one')).toBeTruthy();
  });

  it('says so too when the gateway gave up on creating the conversation, and creates it once', async () => {
    const user = await openScreen('/?c=new');
    server.answer('POST /api/conversations', 524, undefined);
    await user.type(composer(), 'Slow start{Enter}');
    await waitFor(() => expect(toasted()?.title).toBe('AI is Still Processing'));
    expect(await screen.findByText('Slow start', { selector: 'article *' })).toBeTruthy();
    expect(composer().disabled).toBe(false);
    server.usually('POST /api/conversations');
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(location.search).toBe('?c=made'));
    const ids = server
      .posted('/api/conversations')
      .map((body) => (body as { clientConversationId: string }).clientConversationId);
    expect(new Set(ids).size).toBe(1);
  });

  it('creates a conversation named after its first message, and selects it', async () => {
    const user = await openScreen('/?c=new');
    expect(screen.getByText('Start a new conversation')).toBeTruthy();
    expect(screen.getByText('Type your message below to begin chatting')).toBeTruthy();
    await user.type(composer(), 'Tell me about   Lyra{Enter}');
    await waitFor(() => expect(location.search).toBe('?c=made'));
    expect(server.posted('/api/conversations')).toMatchObject([{ title: 'Tell me about Lyra' }]);
    await waitFor(() => expect(replyOnScreen()).not.toBeNull());
    expect(within(screen.getByRole('navigation')).getByText('Tell me about Lyra')).toBeTruthy();
  });

  it('keeps a draft until the user comes back', async () => {
    const user = await openScreen();
    await user.type(composer(), 'Half a thou');
    expect(localStorage.getItem(`draft:${server.user.id}:c1`)).toContain('Half a thou');
    await user.click(screen.getByRole('button', { name: 'New Chat' }));
    expect(composer().value).toBe('');
    await user.click(screen.getByRole('link', { name: /Stars above/ }));
    expect(composer().value).toBe('Half a thou');
  });
});

describe('a reply', () => {
  const openWith = (reply: Partial<Reply>) => {
    server.messages = { c1: [makeReply('c1', reply)] };
    return openScreen();
  };

  it('is stopped by the button that sent it', async () => {
    const user = await openWith({ status: 'streaming', attempt: 1, content: 'Once upon' });
    server.answer('POST /api/replies/r1/stop', 202, {
      ...at,
      attempt: 1,
      status: 'stopped',
      length: 9,
    });
    await waitFor(() => expect(replyOnScreen()?.textContent).toContain('Once upon'));
    await user.click(screen.getByRole('button', { name: 'Stop' }));
    await waitFor(() => expect(replyOnScreen()?.dataset.status).toBe('stopped'));
    expect(screen.getByRole('button', { name: 'Send message' })).toBeTruthy();
    expect(screen.getByText('You stopped this reply.')).toBeTruthy();
  });

  it('shows why it failed, and Try again creates a sibling', async () => {
    const error = { code: 'provider_unavailable', message: 'The model is unreachable.' } as const;
    server.messages = {
      c1: [makeUserMessage('c1'), makeReply('c1', { status: 'failed', attempt: 1, error })],
    };
    const user = await openScreen();
    expect(await screen.findByText('The model is unreachable.')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(replyOnScreen()?.dataset.status).toBe('queued'));
    expect(server.posted('/api/replies/r1/regenerate')).toHaveLength(1);
    expect(replyOnScreen()?.dataset.messageId).toBe('r1again');
    expect(screen.queryByText('The model is unreachable.')).toBeNull();
  });

  it('continues after an interruption with its text still shown', async () => {
    const user = await openWith({ status: 'interrupted', attempt: 1, content: 'Once upon' });
    await user.click(await screen.findByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(replyOnScreen()?.dataset.status).toBe('queued'));
    expect(server.posted('/api/replies/r1/continue')).toHaveLength(1);
    expect(replyOnScreen()?.textContent).toContain('Once upon');
    server.answer('GET /api/replies/r1?attempt=2&offset=0', 200, {
      ...at,
      attempt: 2,
      offset: 0,
      deltas: [{ ...firstPart, offset: 0, delta: 'Once upon a' }],
      length: 11,
      status: 'streaming',
    });
    push('reply:delta', { ...at, ...firstPart, attempt: 2, offset: 9, delta: ' a' });
    expect(replyOnScreen()?.textContent).toContain('Once upon');
    await waitFor(() => expect(replyOnScreen()?.textContent).toContain('Once upon a'));
  });

  it('says that it reached its length limit, and offers Continue only', async () => {
    const full = { status: 'complete', ending: 'length', attempt: 1, content: 'Once upon' };
    const user = await openWith(full as never);
    await screen.findByText('The reply reached its length limit.');
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(replyOnScreen()?.dataset.status).toBe('queued'));
    expect(screen.queryByText('The reply reached its length limit.')).toBeNull();
  });

  it('is copied as Markdown', async () => {
    const user = await openWith({ status: 'complete', attempt: 1, content: '**Vega**' });
    await screen.findByText('Vega');
    await user.click(screen.getByRole('button', { name: 'Copy' }));
    expect(await navigator.clipboard.readText()).toBe('**Vega**');
    expect(toasted()?.title).toBe('Copied to clipboard');
    expect(screen.getByRole('button', { name: 'Copied' })).toBeTruthy();
  });

  it('shows its files and insights, and no dangerous URL', async () => {
    await openWith({
      status: 'complete',
      attempt: 1,
      content: 'Done.',
      metadata: {
        files: [{ name: 'chart.pdf', url: '/api/files/1' }, { url: 'javascript:alert(1)' }],
        insightCards: [{ insight: 'Vega was the pole star.' }],
      },
    });
    const link = await screen.findByRole('link', { name: 'chart.pdf' });
    expect(link.getAttribute('href')).toBe('/api/files/1');
    expect(screen.getByText('File').closest('a')).toBeNull();
    expect(screen.getByText('Vega was the pole star.')).toBeTruthy();
  });
});

describe('the screen', () => {
  it('welcomes when nothing is selected', async () => {
    const user = await openScreen('/');
    expect(screen.getByText('Welcome back, Ada')).toBeTruthy();
    expect(screen.getByText('Custom Personas')).toBeTruthy();
    expect(screen.getByText('File Intelligence')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Start New Conversation' }));
    expect(location.search).toBe('?c=new');
    expect(document.activeElement).toBe(composer());
  });

  it('counts what is left of the demo, as the server pushes it', async () => {
    const demo = { messagesLeft: 2, messageLimit: 20, tokensLeft: 900, tokenLimit: 20_000 };
    const guest = { subscriptionStatus: 'guest', subscriptionPlan: null } as const;
    server.user = { ...server.user, ...guest, demo };
    await openScreen();
    expect(screen.getByText(/2 messages and 900 tokens left/)).toBeTruthy();
    push('account:changed', { ...server.user, demo: { ...demo, messagesLeft: 1 } });
    expect(await screen.findByText(/1 message and 900 tokens left/)).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Choose a plan' }).getAttribute('href')).toBe(
      '/subscription',
    );
  });

  it('shows a message that another tab sent, and moves its conversation up', async () => {
    server.conversations = [conversation('c2', 'Newer', 3), ...server.conversations];
    await openScreen();
    push('message:created', makeSent('c1', { content: 'From there' }));
    push('conversation:changed', conversation('c1', 'Stars above the house', 4));
    expect(await screen.findByText('From there')).toBeTruthy();
    const titles = screen.getAllByRole('listitem').map((item) => item.textContent);
    expect(titles[0]).toContain('Stars above the house');
  });

  it('offers to load the messages again when that failed', async () => {
    server.answer('GET /api/conversations/c1/messages', 503, { message: '-', code: 'unavailable' });
    const user = await openScreen();
    // The connection reads once more what it has not.
    await waitFor(() => expect(queryClient.isFetching()).toBe(0));
    const retry = await screen.findByRole('button', { name: 'Try again' });
    server.usually('GET /api/conversations/c1/messages');
    server.messages = { c1: [makeReply('c1', { status: 'complete', content: 'Back again' })] };
    await user.click(retry);
    expect(await screen.findByText('Back again')).toBeTruthy();
  });

  it('lists its shortcuts on Ctrl+/ while a message is written, and elsewhere on ?', async () => {
    const user = await openScreen('/');
    const sheet = () => screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
    await user.click(composer());
    await user.keyboard('?{Control>}/{/Control}');
    expect(await sheet()).toBeTruthy();
    expect(composer().value).toBe('?');
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    act(() => composer().blur());
    await user.keyboard('?');
    expect(await sheet()).toBeTruthy();
  });
});
