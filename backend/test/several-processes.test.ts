import { expect, it } from 'vitest';
import { killInTurn } from './several-processes.ts';

it('two web and three worker processes lose no character and no message when one of each, or the balancer, is killed', async () => {
  expect(await killInTurn({ seconds: 6, replies: 6, each: false })).toBe(3);
});
