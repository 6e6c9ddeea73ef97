import { beforeAll, beforeEach, expect, it } from 'vitest';
import { countTokens } from '../../llm/index.ts';
import { newId, openMemory, type Rig } from './memory.fixture.ts';
import { MAX_MEMORY_TOKENS } from './read.ts';
import { promptBytesFor } from './size.ts';

let rig: Rig;
let user: string;
beforeAll(async () => {
  rig = await openMemory();
});
beforeEach(() => {
  user = newId();
});

const bytesFor = (personaId: string | null = null) => promptBytesFor(rig, user, personaId);

it('is nothing for a user without memories', async () => {
  await rig.saved(newId(), 'I own a boat');
  expect(await bytesFor()).toBe(0);
});

it.each([
  ['one', 1, 'I own boat'],
  ['a few long ones', 3, `I own boat ${'猫头鹰的头可以转动二百七十度'.repeat(8)}`],
  ['many', 30, 'I own boat'],
])(
  'is no less than what a prompt gets of %s, and never more than the whole block',
  async (_, count, text) => {
    for (let n = 0; n < count; n += 1) await rig.saved(user, `${text} ${n}`);
    const bytes = await bytesFor();
    const given = await countTokens((await rig.prompt(user, 'Which boat?'))?.text ?? '');
    expect(given).toBeGreaterThan(0);
    expect(bytes / 3).toBeGreaterThanOrEqual(given);
    expect(bytes / 3).toBeLessThanOrEqual(MAX_MEMORY_TOKENS);
  },
);
