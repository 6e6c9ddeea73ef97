/**
 * Benchmark `hostile`: the delay of another user's calls while a user sends the largest hostile input of every route, card and file kind
 * (test/hostile.ts), one after the other. The baseline is the same calls without other users. `npm run bench -- hostile`
 */
import { startProduct } from '../../frontend/e2e/product.ts';
import { attacks, meanwhile } from '../test/hostile.ts';
import { visitor } from '../test/visitor.ts';
import { callsOf } from './lib/calls.ts';
import { ms, p50, p95, timed } from './lib/quantiles.ts';
import { atMost, printTable, printTitle, printVerdicts } from './lib/report.ts';

const BUDGET_MS = 100;
const BASELINE_CALLS = 500;
const SHOWN = 10;

async function measure(): Promise<void> {
  const product = await startProduct({ RATE_LIMITS: 'false' });
  try {
    const [attacker, user] = await Promise.all([
      visitor(product.url).subscriber('pro'),
      visitor(product.url).subscriber('pro'),
    ]);
    const call = callsOf(user);
    const measureCall = () => timed(() => call('/conversations'));
    const baseline: number[] = [];
    for (let n = 0; n < BASELINE_CALLS; n += 1) baseline.push(await measureCall());
    const rows: Row[] = [];
    for (const { name, run } of await attacks('backend/src')) {
      const times: number[] = [];
      await meanwhile(run(attacker), async () => times.push(await measureCall()));
      rows.push({ name, times });
    }
    report(baseline, rows);
  } finally {
    await product.stop();
  }
}

interface Row {
  name: string;
  times: number[];
}

function report(baseline: number[], rows: Row[]): void {
  const usual = p95(baseline);
  const worst = rows
    .map(({ name, times }) => ({ name, longest: Math.max(...times), median: p50(times) }))
    .toSorted((a, b) => b.longest - a.longest);
  printTitle(`hostile: another user's calls during ${rows.length} attacks`);
  printTable(
    ['attack', 'p50', 'longest'],
    [
      ...worst.slice(0, SHOWN).map(({ name, median, longest }) => [name, ms(median), ms(longest)]),
      ['baseline: nobody else is there', ms(p50(baseline)), ms(Math.max(...baseline))],
    ],
  );
  const longer = (worst[0]?.longest ?? 0) - usual;
  printVerdicts([
    atMost(`the longest call beyond the baseline's p95 of ${ms(usual)}`, longer, BUDGET_MS),
  ]);
}

await measure();
