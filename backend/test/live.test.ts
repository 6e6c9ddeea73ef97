import { io } from 'socket.io-client';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DemoAllowance, Session } from '../src/contract/auth.ts';
import { SOCKET_PATH, SOCKET_UNAUTHENTICATED } from '../src/contract/realtime.ts';
import type { ReplyResult, ReplyTail } from '../src/contract/replies.ts';
import type { ReplyUsage } from '../src/contract/usage.ts';
import { startSlowProvider } from './slow-provider.ts';
import { longText, type Stack, startStack } from './stack.ts';
import { startTcpProxy } from './tcp-proxy.ts';
import { newEmail, visitor } from './visitor.ts';

let stack: Stack;
const TEXT = longText(150);
/** Longer than any test waits. */
const ENDLESS = longText(8_000);
/** Characters: 40 pieces a second of 20 characters each. */
const TWO_SECONDS = 1_600;

beforeAll(async () => {
  stack = await startStack();
  const streamingProfile = { tps: 40 };
  stack.provider
    .onMessage('endless', { content: ENDLESS }, { streamingProfile })
    .onMessage(/.*/, { content: TEXT }, { streamingProfile });
});

async function talk() {
  const anna = await stack.guest();
  const id = await anna.conversation();
  return { anna, id };
}

describe('a reply that runs', () => {
  it('grows in every open tab, and is the same in all of them at its end', async () => {
    const { anna, id } = await talk();
    const tabs = await Promise.all([anna.tab(id), anna.tab(id)]);
    await anna.send(id, 'Hello');
    for (const tab of tabs) {
      await expect.poll(() => tab.reply.text.length).toBeGreaterThan(0);
      expect(tab.reply.status).toBe('streaming');
    }
    for (const tab of tabs) await expect.poll(() => tab.reply.status).toBe('complete');
    const stored = await anna.reply(id);
    for (const tab of tabs) {
      expect(tab.reply.text).toBe(TEXT);
      for (const text of tab.shown) expect(TEXT.startsWith(text)).toBe(true);
    }
    expect(stored.content).toBe(TEXT);
  });

  it('fault 6: is complete in a tab that is opened in the middle', async () => {
    const { anna, id } = await talk();
    const first = await anna.tab(id);
    await anna.send(id, 'Hello');
    await expect.poll(() => first.reply.text.length).toBeGreaterThan(TEXT.length / 2);
    const late = await anna.tab(id);
    expect(late.reply.text.length).toBeGreaterThan(TEXT.length / 2);
    await expect.poll(() => late.reply.status).toBe('complete');
    expect(late.reply.text).toBe(TEXT);
  });

  it('fault 5: loses and duplicates nothing when its connection is away for two seconds of text again and again', async () => {
    const { anna, id } = await talk();
    const proxy = await startTcpProxy(stack.web.port);
    const tab = await stack.api(anna.token, `http://127.0.0.1:${proxy.port}`).tab(id);
    const { reply } = (await anna.send(id, 'endless')).body;
    const stored = async () => (await anna.reply(id)).content.length;
    for (let cuts = 0; cuts < 4; cuts += 1) {
      proxy.cut();
      const { length } = tab.reply.text;
      await expect.poll(stored).toBeGreaterThan(length + TWO_SECONDS);
      // What was on its way still arrived.
      expect(tab.reply.text.length).toBeLessThan(length + TWO_SECONDS);
      proxy.restore();
      await expect.poll(() => tab.reply.text.length).toBeGreaterThan(length + 2 * TWO_SECONDS);
    }
    await anna.post(`/replies/${reply.id}/stop`);
    await expect.poll(() => tab.reply.status).toBe('stopped');
    expect(tab.reply.text).toBe((await anna.reply(id)).content);
    for (const text of tab.shown) expect(ENDLESS.startsWith(text)).toBe(true);
  });

  it('fault 10: is regenerated without a character of the earlier text in any tab', async () => {
    const { anna, id } = await talk();
    const tabs = await Promise.all([anna.tab(id), anna.tab(id)]);
    const first = (await anna.send(id, 'Once more')).body.reply;
    for (const tab of tabs) await expect.poll(() => tab.reply.status).toBe('complete');
    const another = TEXT.toUpperCase();
    stack.provider.prependFixture({
      match: { userMessage: 'Once more' },
      response: { content: another },
      streamingProfile: { tps: 40 },
    });
    const before = tabs.map(({ shown }) => shown.length);
    expect((await anna.post(`/replies/${first.id}/regenerate`)).status).toBe(202);
    for (const [n, tab] of tabs.entries()) {
      await expect.poll(() => tab.reply).toMatchObject({ status: 'complete', text: another });
      for (const text of tab.shown.slice(before[n])) expect(another.startsWith(text)).toBe(true);
    }
    expect((await anna.reply(id)).content).toBe(another);
  });

  it('is read completely without a socket', async () => {
    const { anna, id } = await talk();
    const { reply } = (await anna.send(id, 'Hello')).body;
    let text = '';
    let status = 'queued';
    let reads = 0;
    const read = async () => {
      const path = `/replies/${reply.id}?attempt=1&offset=${text.length}`;
      const { body } = await anna.get<ReplyTail>(path);
      expect(body.offset).toBe(body.attempt === 1 ? text.length : 0);
      for (const { type, offset, delta } of body.deltas) {
        expect([type, offset]).toEqual(['text', text.length]);
        text += delta;
      }
      expect(body.length).toBe(text.length);
      expect(text).not.toContain('\uFFFD');
      expect(TEXT.startsWith(text)).toBe(true);
      status = body.status;
      reads += 1;
      return status;
    };
    await expect.poll(read, { interval: 200 }).toBe('complete');
    expect(reads).toBeGreaterThan(3);
    expect(text).toBe(TEXT);
  });

  it('fault 12: completes with every tab closed', async () => {
    const { anna, id } = await talk();
    const tab = await anna.tab(id);
    await anna.send(id, 'Hello');
    await expect.poll(() => tab.reply.text.length).toBeGreaterThan(0);
    tab.close();
    await expect.poll(async () => (await anna.reply(id)).status).toBe('complete');
    expect((await anna.reply(id)).content).toBe(TEXT);
  });

  it('fault 11: is stopped from any tab: the call is aborted, the text is kept, usage is settled once', async () => {
    const { anna, id } = await talk();
    const [writer, other] = [await anna.tab(id), await anna.tab(id)];
    const { reply } = (await anna.send(id, 'Hello')).body;
    await expect.poll(() => writer.reply.text.length).toBeGreaterThan(100);
    expect((await anna.post(`/replies/${reply.id}/stop`)).status).toBe(202);
    for (const tab of [writer, other]) await expect.poll(() => tab.reply.status).toBe('stopped');
    const stored = await anna.reply(id);
    expect(stored.status).toBe('stopped');
    expect(stored.content.length).toBeGreaterThan(100);
    expect(stored.content.length).toBeLessThan(TEXT.length);
    expect([writer.reply.text, other.reply.text]).toEqual([stored.content, stored.content]);
    const left = async () => (await anna.get<{ demo: { tokensLeft: number } }>('/auth/user')).body;
    const once = await left();
    await anna.post(`/replies/${reply.id}/stop`);
    expect(await left()).toEqual(once);
  });

  it('fault 11: is stopped: the call of the provider ends at once, and exactly its tokens are charged', async () => {
    const provider = await startSlowProvider(600);
    const { guest } = await startStack(provider.settings);
    const anna = await guest();
    const id = await anna.conversation();
    const tab = await anna.tab(id);
    const { reply } = (await anna.send(id, 'Hello')).body;
    await expect.poll(() => tab.reply.text.length).toBeGreaterThan(0);
    expect(provider.aborted()).toBe(0);
    const begunAt = performance.now();
    await anna.post(`/replies/${reply.id}/stop`);
    await expect.poll(provider.aborted).toBe(1);
    // 1 s, with room for a machine that does other work.
    expect(performance.now() - begunAt).toBeLessThan(5_000);
    provider.stop();
    const usage = async () => (await anna.get<ReplyUsage>(`/replies/${reply.id}/usage`)).body;
    const states = async () => (await usage()).entries.map(({ state }) => state);
    await expect.poll(states).toEqual(['settled']);
    const { demo } = (await anna.get<{ demo: DemoAllowance }>('/auth/user')).body;
    expect(demo.tokenLimit - demo.tokensLeft).toBe((await usage()).tokens);
  });

  it('continues from its text after it was stopped, in every tab', async () => {
    const { anna, id } = await talk();
    const tab = await anna.tab(id);
    const { reply } = (await anna.send(id, 'Hello')).body;
    await expect.poll(() => tab.reply.text.length).toBeGreaterThan(100);
    const running = await anna.post(`/replies/${reply.id}/continue`);
    expect([running.status, running.body]).toMatchObject([409, { code: 'reply_not_retryable' }]);
    await anna.post(`/replies/${reply.id}/stop`);
    await expect.poll(() => tab.reply.status).toBe('stopped');
    const kept = tab.reply.text;
    const continued = await anna.post<ReplyResult>(`/replies/${reply.id}/continue`);
    expect([continued.status, continued.body.reply]).toMatchObject([
      202,
      { id: reply.id, status: 'queued', content: kept },
    ]);
    await expect.poll(() => tab.reply.status).toBe('complete');
    expect(tab.reply.text).toBe(kept + TEXT);
    expect((await anna.reply(id)).content).toBe(kept + TEXT);
    const again = await anna.post(`/replies/${reply.id}/continue`);
    expect([again.status, again.body]).toMatchObject([409, { code: 'reply_not_retryable' }]);
  });

  it('shows reasoning as a separate part, which is never sent back to the model', async () => {
    const { anna, id } = await talk();
    const tab = await anna.tab(id);
    stack.provider.prependFixture({
      match: { userMessage: 'Think first' },
      response: { content: 'An owl 🦉.', reasoning: 'It is dark 🌑, and it hoots.' },
    });
    await anna.send(id, 'Think first');
    await expect.poll(() => tab.reply.status).toBe('complete');
    const parts = [
      { type: 'reasoning', text: 'It is dark 🌑, and it hoots.' },
      { type: 'text', text: 'An owl 🦉.' },
    ];
    expect(tab.reply.parts).toEqual(parts);
    expect(await anna.reply(id)).toMatchObject({ content: 'An owl 🦉.', parts });
    await anna.send(id, 'Hello');
    await expect.poll(() => tab.views.size).toBe(2);
    await expect.poll(() => tab.reply.status).toBe('complete');
    const prompt = JSON.stringify(stack.provider.getRequests().at(-1)?.body);
    expect(prompt).toContain('An owl 🦉.');
    expect(prompt).not.toContain('It is dark');
  });
});

describe('a socket', () => {
  const refusal = (options: Parameters<typeof io>[1]) =>
    new Promise<string>((resolve, reject) => {
      const socket = io(stack.web.url, {
        path: SOCKET_PATH,
        transports: ['websocket'],
        reconnection: false,
        ...options,
      });
      socket.once('connect_error', (error) => resolve(error.message));
      socket.once('connect', () => {
        socket.close();
        reject(new Error('It was let in.'));
      });
    });

  it('needs a session', async () => {
    expect(await refusal({})).toBe(SOCKET_UNAUTHENTICATED);
    expect(await refusal({ auth: { token: 'made-up' } })).toBe(SOCKET_UNAUTHENTICATED);
  });

  it('is refused to the pages of other sites', async () => {
    const { anna } = await talk();
    const extraHeaders = { origin: 'https://evil.example' };
    await expect(refusal({ auth: { token: anna.token }, extraHeaders })).resolves.not.toBe(
      SOCKET_UNAUTHENTICATED,
    );
  });

  it('is closed when its session ends', async () => {
    const { anna, id } = await talk();
    const tab = await anna.tab(id);
    await anna.post('/auth/signout');
    await expect.poll(() => tab.sessionEnded && tab.socket.disconnected).toBe(true);
  });

  it('is closed when its session is ended from another browser, which is notified', async () => {
    const us = visitor(stack.web.url);
    const email = newEmail();
    const here = us.as((await us.register({ email })).body.token);
    const there = us.as((await us.signIn(email)).body.token);
    const talk = await here.conversation();
    const [tab, other] = await Promise.all([here, there].map((one) => one.tab(talk)));
    let changes = 0;
    tab?.socket.on('sessions:changed', () => {
      changes += 1;
    });
    const sessions = (await here.get<Session[]>('/auth/sessions')).body;
    const { id } = sessions.find(({ current }) => !current) ?? { id: '' };
    await here.call('DELETE', `/auth/sessions/${id}`);
    await expect.poll(() => other?.sessionEnded && other.socket.disconnected).toBe(true);
    await expect.poll(() => changes).toBe(1);
    expect(tab?.socket.connected).toBe(true);
    await us.signIn(email);
    await expect.poll(() => changes).toBe(2);
  });

  it('receives no events of other users', async () => {
    const { anna, id } = await talk();
    const ben = await stack.guest();
    const heard: string[] = [];
    const bensTab = await ben.tab(await ben.conversation());
    // The event for its own joining may still arrive.
    bensTab.socket.onAny((event: string) => event !== 'channel:joined' && heard.push(event));
    const annasTab = await anna.tab(id);
    await anna.send(id, 'Private');
    await expect.poll(() => annasTab.reply.status).toBe('complete');
    expect(heard).toEqual([]);
  });
});
