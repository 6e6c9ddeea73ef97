import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { TokenResult } from '../src/contract/auth.ts';
import { longText, startStack } from './stack.ts';
import { visitor } from './visitor.ts';

const SCRIPT = path.resolve(import.meta.dirname, '../../scripts/seed.mjs');
const seed = async (...args: string[]) =>
  (await promisify(execFile)(process.execPath, [SCRIPT, ...args])).stdout;

it('lists its scenarios, and refuses others', async () => {
  const list = await seed();
  for (const name of ['demo-user', 'long-thread', 'broken-reply']) expect(list).toContain(name);
  await expect(seed('nothing')).rejects.toMatchObject({
    stderr: expect.stringContaining('There is no scenario nothing.'),
  });
});

it('makes a subscriber with a long thread and a broken reply, who can sign in as it says', async () => {
  const stack = await startStack();
  // Like the demo model's answer to '/fail cut'.
  stack.provider.onMessage(/^\/fail cut/, { content: longText(5) }, { truncateAfterChunks: 1 });
  const signedIn = async (output: string) => {
    const [, email = '', address = ''] = /as (\S+) .* open (\S+)/.exec(output) ?? [];
    const { body } = await visitor(stack.web.url).signIn(email);
    const id = new URL(address).searchParams.get('c') ?? '';
    return { id, api: stack.api((body as TokenResult).token) };
  };
  const long = await signedIn(await seed('long-thread', stack.web.url));
  expect((await long.api.messages(long.id)).length).toBeGreaterThan(0);
  const broken = await signedIn(await seed('broken-reply', stack.web.url));
  expect(await broken.api.reply(broken.id)).toMatchObject({ status: 'failed' });
});
