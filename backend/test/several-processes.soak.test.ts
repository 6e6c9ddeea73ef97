import { expect, it } from 'vitest';
import { killInTurn, startSeveral } from './several-processes.ts';

it('two web and three worker processes lose no character and no message while each process is killed in turn under 200 replies', async () => {
  const product = await startSeveral({ seconds: 20 });
  expect([product.pids('web').length, product.pids('worker').length]).toEqual([2, 3]);
  const kinds = ['web', 'worker', 'embedded-balancer'];
  await killInTurn(product, { kinds, each: true, replies: 200 });
}, 3_600_000);
