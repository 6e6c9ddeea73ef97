/**
 * Benchmark `sign-in`: whether response times disclose that an account exists: the durations of sign-in and of the request for a reset
 * link, for an email address with an account and for one without, alternating. The baseline is a call that does nothing. `npm run bench --
 * sign-in`
 */
import { startProduct } from '../../frontend/e2e/product.ts';
import { newEmail, PASSWORD } from '../test/visitor.ts';
import { p50 } from './lib/quantiles.ts';
import { atMost, delayRow, describeMachine, printTable, printVerdicts } from './lib/report.ts';

const ROUNDS = 150;
/** The maximum difference of the medians: below it, a guess needs hundreds of calls, and the limits allow tens. */
const TOLERANCE_MS = 3;

async function measure() {
  const machine = describeMachine();
  const product = await startProduct({ RATE_LIMITS: 'false' });
  const timed = async (path: string, body: object): Promise<number> => {
    const startedAt = performance.now();
    const response = await fetch(`${product.url}/api/auth${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await response.arrayBuffer();
    return performance.now() - startedAt;
  };
  try {
    const email = newEmail();
    await timed('/register', { email, password: PASSWORD });
    const calls: [name: string, path: string, body: () => object][] = [
      ['signing in', '/login', () => ({ password: 'not the password' })],
      ['asking for a reset link', '/password/forgot', () => ({})],
    ];
    const rows = [];
    for (const [name, path, body] of calls) {
      const known: number[] = [];
      const unknown: number[] = [];
      // Alternating, so that other load on the machine affects both equally.
      for (let n = 0; n < ROUNDS; n += 1) {
        known.push(await timed(path, { ...body(), email }));
        unknown.push(await timed(path, { ...body(), email: newEmail() }));
      }
      rows.push({ name, known, unknown });
    }
    const floor: number[] = [];
    for (let n = 0; n < ROUNDS; n += 1) floor.push(await timed('/signout', {}));
    report({ machine, rows, floor });
  } finally {
    await product.stop();
  }
}

interface Row {
  name: string;
  known: number[];
  unknown: number[];
}

function report({ machine, rows, floor }: { machine: string; rows: Row[]; floor: number[] }) {
  console.log(`sign-in: time by whether the account exists, ${ROUNDS} calls each\n${machine}\n`);
  printTable(
    ['call', 'p50', 'p95'],
    [
      ...rows.flatMap(({ name, known, unknown }) => [
        delayRow(`${name}, known address`, known),
        delayRow(`${name}, unknown address`, unknown),
      ]),
      delayRow('floor: a call that does nothing', floor),
    ],
  );
  printVerdicts(
    rows.map(({ name, known, unknown }) => {
      const difference = Math.abs(p50(known) - p50(unknown));
      return atMost(`${name}: medians differ by`, difference, TOLERANCE_MS);
    }),
  );
}

await measure();
