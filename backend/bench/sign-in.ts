/**
 * Benchmark `sign-in`: whether response times disclose that an account exists: the durations of sign-in and of the request for a reset
 * link, for an email address with an account and for one without, alternating. The baseline is a call that does nothing. `npm run bench --
 * sign-in`
 */
import { startProduct } from '../../frontend/e2e/product.ts';
import { newEmail, PASSWORD, visitor } from '../test/visitor.ts';
import { p50, timed } from './lib/quantiles.ts';
import { atMost, delayRow, printTable, printTitle, printVerdicts } from './lib/report.ts';

const ROUNDS = 150;
/** The maximum difference of the medians: below it, a guess needs hundreds of calls, and the limits allow tens. */
const TOLERANCE_MS = 3;

async function measure() {
  const product = await startProduct({ RATE_LIMITS: 'false' });
  const { post } = visitor(product.url);
  const timeOf = (path: string, body: object) => timed(() => post(`/auth${path}`, body));
  try {
    const email = newEmail();
    await timeOf('/register', { email, password: PASSWORD });
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
        known.push(await timeOf(path, { ...body(), email }));
        unknown.push(await timeOf(path, { ...body(), email: newEmail() }));
      }
      rows.push({ name, known, unknown });
    }
    const floor: number[] = [];
    for (let n = 0; n < ROUNDS; n += 1) floor.push(await timeOf('/signout', {}));
    report(rows, floor);
  } finally {
    await product.stop();
  }
}

interface Row {
  name: string;
  known: number[];
  unknown: number[];
}

function report(rows: Row[], floor: number[]) {
  printTitle(`sign-in: time by whether the account exists, ${ROUNDS} calls each`);
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
