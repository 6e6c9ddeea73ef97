import { startProduct } from '../../frontend/e2e/product.ts';
import { attacks, meanwhile } from '../test/hostile.ts';
import { visitor } from '../test/visitor.ts';

const product = await startProduct({ RATE_LIMITS: 'false' });
const [attacker, user] = await Promise.all([
  visitor(product.url).subscriber('pro'),
  visitor(product.url).subscriber('pro'),
]);
const timed = async () => { const t = performance.now(); await user.get('/conversations'); return performance.now() - t; };
const want = new RegExp(process.env.WANT ?? 'import|card|preview');
for (let i = 0; i < 300; i++) await timed();
for (const { name, run } of await attacks('backend/src')) {
  if (!want.test(name)) continue;
  const times: number[] = [];
  const t0 = performance.now();
  await meanwhile(run(attacker), async () => times.push(await timed())).catch((e) => console.log(name, 'FAILED', String(e).slice(0, 200)));
  times.sort((a, b) => b - a);
  console.log(name.slice(0, 60).padEnd(60), 'n', times.length, 'dur', Math.round(performance.now() - t0), 'longest', times.slice(0, 4).map((x) => Math.round(x)).join(' '));
}
await product.stop();
