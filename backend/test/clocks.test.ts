import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import type { Message } from '../src/contract/messages.ts';
import { startProcess } from './processes.ts';
import { type ApiClient, startStack } from './stack.ts';

const SHIFTED_CLOCK = path.join(import.meta.dirname, 'fixtures/shifted-clock.mjs');

it('fault 25: two web processes whose clocks differ by 5 s keep the order of messages and of siblings', async () => {
  const stack = await startStack();
  stack.provider.onMessage(/.*/, { content: 'Owls hoot.' });
  const ahead = await startProcess('web', {
    env: {
      ...stack.env,
      NODE_OPTIONS: `--import=${pathToFileURL(SHIFTED_CLOCK).href}`,
      CLOCK_SHIFT_MS: '5000',
    },
  });
  const slow = await stack.guest();
  const fast = stack.api(slow.token, ahead.url);
  const isDone = async (id: string) => (await slow.reply(id)).status;
  const say = async (api: ApiClient, id: string, content: string, parentId?: string | null) => {
    const { status, body } = await (parentId === undefined
      ? api.send(id, content)
      : api.branch(id, content, parentId));
    expect(status).toBe(202);
    await expect.poll(() => isDone(id)).toBe('complete');
    return body;
  };
  const id = await fast.conversation();
  const first = await say(fast, id, 'One');
  await say(slow, id, 'Two');
  await say(fast, id, 'Three');
  await say(slow, id, 'Four');
  const texts = (messages: Message[]) => messages.map(({ content }) => content);
  for (const api of [slow, fast]) {
    const sent = texts(await api.messages(id)).filter((_, n) => n % 2 === 0);
    expect(sent).toEqual(['One', 'Two', 'Three', 'Four']);
  }

  // Alternatives in the order in which they were made.
  const made = [
    (await slow.messages(id))[2]?.id,
    (await say(fast, id, 'Edited by the fast clock', first.reply.id)).message.id,
    (await say(slow, id, 'Edited by the slow clock', first.reply.id)).message.id,
  ];
  for (const api of [slow, fast]) {
    const shown = (await api.messages(id))[2];
    expect([shown?.content, shown?.siblingIds]).toEqual(['Edited by the slow clock', made]);
  }
});
