import { beforeAll, describe, expect, it } from 'vitest';
import { longText, type Stack, startStack } from './stack.ts';

const TEXT = longText(40);

let stack: Stack;

beforeAll(async () => {
  // One job at a time: a reply that does not end would block every later one.
  stack = await startStack({ WORKER_CONCURRENCY: '1', PROVIDER_IDLE_SECONDS: '1' });
  stack.provider
    .onMessage('too many', { error: { message: 'Slow down' }, status: 429 })
    .onMessage('server error', { error: { message: 'Oh no' }, status: 500 })
    .onMessage('hang', { content: TEXT }, { streamingProfile: { ttft: 30_000 } })
    .onMessage('cut', { content: TEXT }, { truncateAfterChunks: 4, streamingProfile: { tps: 20 } })
    .onMessage(/.*/, { content: TEXT });
});

describe('fault 20: a failing provider', () => {
  it.each([
    ['too many', 'provider_rate_limited'],
    ['server error', 'provider_unavailable'],
    ['hang', 'provider_timeout'],
  ])(
    '(%s) is retried in vain before the first word, then the reply fails as %s',
    async (prompt, code) => {
      const anna = await stack.guest();
      const id = await anna.conversation();
      const tab = await anna.tab(id);
      const before = stack.provider.getRequests().length;
      await anna.send(id, prompt);
      await expect.poll(() => tab.reply.status).toBe('failed');
      expect(tab.reply.error?.code).toBe(code);
      expect(stack.provider.getRequests().length - before).toBe(3);
      const stored = await anna.reply(id);
      expect(stored).toMatchObject({ status: 'failed', content: '', error: { code } });
      const continued = await anna.post(`/replies/${stored.id}/continue`);
      expect([continued.status, continued.body]).toMatchObject([
        409,
        { code: 'reply_not_retryable' },
      ]);
    },
  );

  it('that fails in the middle fails the reply once and keeps the text', async () => {
    const anna = await stack.guest();
    const id = await anna.conversation();
    const tab = await anna.tab(id);
    const before = stack.provider.getRequests().length;
    await anna.send(id, 'cut');
    await expect.poll(() => tab.reply.status).toBe('failed');
    expect(stack.provider.getRequests().length - before).toBe(1);
    expect(tab.reply.text).not.toBe('');
    expect(TEXT.startsWith(tab.reply.text)).toBe(true);
    expect((await anna.reply(id)).content).toBe(tab.reply.text);
  });

  it('is named below its reply outside production, in every tab and after a reload', async () => {
    const anna = await stack.guest();
    const id = await anna.conversation();
    const tab = await anna.tab(id);
    await anna.send(id, 'server error');
    await expect.poll(() => tab.reply.status).toBe('failed');
    const { cause } = (await anna.reply(id)).error ?? {};
    expect(cause).toContain(`at ${stack.env.OPENAI_BASE_URL}: status 500`);
    expect(tab.reply.error?.cause).toBe(cause);
  });

  it('leaves the worker free for other replies', async () => {
    const anna = await stack.guest();
    const id = await anna.conversation();
    await anna.send(id, 'Hello');
    await expect.poll(async () => (await anna.reply(id)).status).toBe('complete');
  });
});
