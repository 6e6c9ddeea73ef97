import { expect, it } from 'vitest';
import { killInTurn } from './several-processes.ts';

it('two web and three worker processes lose no character and no message while each process is killed in turn under 200 replies', async () => {
  expect(await killInTurn({ seconds: 20, replies: 200, each: true })).toBe(6);
}, 3_600_000);
