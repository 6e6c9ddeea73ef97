import { expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { sweepEach } from './sweep-each.ts';

const broken = new Set(['1', '3']);
const swept: string[] = [];
const sweep = async ({ id }: { id: string; text: string }) => {
  if (broken.has(id)) throw new Error('The store refuses.');
  swept.push(id);
};
const items = ['1', '2', '3', '4'].map((id) => ({ id, text: 'secret' }));

it('does the work for every item, even when some fail, and then names the failed ones by their ids', async () => {
  async function* leased() {
    yield* items;
  }
  for (const source of [items, leased()]) {
    swept.length = 0;
    const failure = await sweepEach(source, sweep).catch((error: unknown) => error);
    expect(swept).toEqual(['2', '4']);

    let line = '';
    const log = createLog({ level: 'warn', name: 'test' }, { write: (text) => (line += text) });
    log.warn({ err: failure }, 'sweep failed');
    const { err } = JSON.parse(line);
    const messages = err.errors.map((error: { message: string }) => error.message);
    expect(messages).toEqual([expect.stringContaining('id 1'), expect.stringContaining('id 3')]);
    expect(err.errors[0].cause.message).toBe('The store refuses.');
    expect(line).not.toContain('secret');
  }
});

it('is silent when nothing fails', async () => {
  await expect(sweepEach(['2'], async (id) => sweep({ id, text: '' }))).resolves.toBeUndefined();
});
