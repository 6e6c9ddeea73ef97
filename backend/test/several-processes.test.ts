import { expect, it } from 'vitest';
import { killInTurn, startSeveral } from './several-processes.ts';

it('two web and three worker processes lose no character and no message when one of each, or the balancer, is killed', async () => {
  const product = await startSeveral({ seconds: 6 });
  expect([product.pids('web').length, product.pids('worker').length]).toEqual([2, 3]);
  const kinds = ['web', 'worker', 'embedded-balancer'];
  await killInTurn(product, { kinds, each: false, replies: 6 });
}, 400_000);
