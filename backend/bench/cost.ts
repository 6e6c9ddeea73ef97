/**
 * Benchmark `cost`: CPU time for each delta and each reply in worker, web process and Redis, and the database commands of a reply. Costs of a
 * delta are the difference between replies of 12 KB and of 38 KB of Markdown, which take 10 and 30 s, 100 at once. `npm run bench -- cost [replies]`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { usageOf } from './lib/processes.ts';
import { receive } from './lib/receivers.ts';
import { atMost, inUnit, printTable, printTitle, printVerdicts } from './lib/report.ts';
import { FRAMES_PER_SECOND, MARKDOWN_CHARS } from './lib/stamped-provider.ts';
import { startWatchedProduct } from './lib/watched-product.ts';

const SHORT_KB = 12;
const LONG_KB = 38;
const chunksOf = (kb: number) => (kb * 1_024) / MARKDOWN_CHARS;
const secondsOf = (kb: number) => chunksOf(kb) / FRAMES_PER_SECOND;
/** Sweeps, announcements and the like, which are not of replies. */
const QUIET_S = 20;
const PARTS = { worker: 'worker.js', web: 'web.js', Redis: 'redis-server' };
type Part = keyof typeof PARTS;
const names = Object.keys(PARTS) as Part[];

/** In ms and µs; the database's as numbers of commands and bytes. From the issue on scale. */
const BUDGETS = {
  delta: { worker: 40, web: 15, Redis: 10 },
  reply: { worker: 15, web: 8 },
  commands: { short: 25, long: 27 },
  bytes: 120_000,
};

/** Rarer commands are not listed. */
const MIN_SHOWN = 0.05;

type Measured = Record<Part, number> & { commands: number; bytes: number };

async function measure() {
  const replies = Number(process.argv[2] ?? 100);
  const { product, commands, stop } = await startWatchedProduct({
    WORKER_CONCURRENCY: String(replies),
  });
  const now = (): Measured => {
    const { all, writtenBytes } = commands();
    const cpu = Object.fromEntries(
      names.map((name) => [name, usageOf(PARTS[name]).cpuMs]),
    ) as Record<Part, number>;
    return { ...cpu, commands: all, bytes: writtenBytes };
  };
  const during = async (work: () => Promise<Measured>) => {
    const before = await work();
    return difference(now(), before);
  };
  let kindsBefore: ReadonlyMap<string, number> = new Map();
  const run = (kb: number) =>
    during(async () => {
      let before = now();
      await receive(product.url, { replies, message: `markdown=${kb}` }, () => {
        before = now();
        kindsBefore = commands().kinds;
      });
      // Post-steps and the end of the jobs.
      await sleep(2_000);
      return before;
    });
  try {
    // Compiles the code of all processes.
    await run(SHORT_KB);
    const quiet = await during(async () => {
      const before = now();
      await sleep(QUIET_S * 1_000);
      return before;
    });
    const short = await run(SHORT_KB);
    const kinds = [...commands().kinds].map(
      ([kind, count]) => [kind, (count - (kindsBefore.get(kind) ?? 0)) / replies] as const,
    );
    const long = await run(LONG_KB);
    printTitle(`cost: ${replies} replies at once`);
    print({ replies, quiet, short, long });
    printKinds(kinds);
  } finally {
    await stop();
  }
}

const difference = (after: Measured, before: Measured): Measured =>
  Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, value - before[name as keyof Measured]]),
  ) as Measured;

function print(runs: { replies: number; quiet: Measured; short: Measured; long: Measured }) {
  const { replies, quiet, short, long } = runs;
  const deltas = replies * chunksOf(LONG_KB - SHORT_KB);
  const perDelta = (name: Part) => (1_000 * (long[name] - short[name])) / deltas;
  const perReply = (name: Part) =>
    short[name] / replies - (perDelta(name) * chunksOf(SHORT_KB)) / 1_000;
  const ofDatabase = (name: 'commands' | 'bytes', run: Measured, kb: number) =>
    (run[name] - (quiet[name] * (secondsOf(kb) + 2)) / QUIET_S) / replies;
  printTable(
    ['CPU', 'each delta', 'each reply'],
    names.map((name) => [
      name,
      `${perDelta(name).toFixed(1)} µs`,
      `${perReply(name).toFixed(1)} ms`,
    ]),
  );
  const commands = (run: Measured, kb: number, budget: number) =>
    atMost(
      `database commands of a reply of ${kb} KB`,
      ofDatabase('commands', run, kb),
      budget,
      inUnit(''),
    );
  const bytes = ofDatabase('bytes', long, LONG_KB);
  printVerdicts([
    ...names.map((name) =>
      atMost(`${name}, a delta`, perDelta(name), BUDGETS.delta[name], inUnit(' µs')),
    ),
    ...(['worker', 'web'] as const).map((name) =>
      atMost(`${name}, a reply`, perReply(name), BUDGETS.reply[name], inUnit(' ms')),
    ),
    commands(short, SHORT_KB, BUDGETS.commands.short),
    commands(long, LONG_KB, BUDGETS.commands.long),
    atMost(
      `written to the database for a reply of ${LONG_KB} KB`,
      bytes,
      BUDGETS.bytes,
      inUnit(' B', 0),
    ),
  ]);
}

/** The commands of a short reply, sweeps included. */
function printKinds(kinds: (readonly [string, number])[]) {
  const shown = kinds.filter(([, count]) => count >= MIN_SHOWN).toSorted((a, b) => b[1] - a[1]);
  printTable(
    ['database command', 'each reply'],
    shown.map(([kind, count]) => [kind, count.toFixed(2)]),
  );
}

await measure();
