/**
 * Benchmark `boot`: from `npm start` to the first streamed words, on a built clone and (with `--clean`) on a fresh
 * clone with an empty npm cache; the baseline of the latter is `npm ci` alone. `npm run bench -- boot [--clean]`
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../embedded/run/ports.ts';
import type { ReplyTail } from '../src/contract/replies.ts';
import { visitor } from '../test/visitor.ts';
import { atMost, printTable, printTitle, printVerdicts } from './lib/report.ts';

const SECOND_START_MS = 5_000;

interface Start {
  ready: number;
  firstWords: number;
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** Starts the product in `folder` and measures until it is ready, and until a guest's reply has text. */
async function start(folder: string, dataDir: string, env: NodeJS.ProcessEnv = {}): Promise<Start> {
  const port = await freePort();
  const begun = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: folder,
    env: { ...process.env, ...env, NODE_ENV: 'development', PORT: String(port), DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A separate group, because Ctrl-C would reach npm and its children together.
    detached: true,
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  while (!output.includes('STOLAS is ready')) {
    if (child.exitCode !== null) throw new Error(`npm start ended:\n${output}`);
    await sleep(5);
  }
  const ready = performance.now() - begun;
  await untilFirstWords(`http://127.0.0.1:${port}`);
  const firstWords = performance.now() - begun;
  const ended = once(child, 'exit');
  if (child.pid) process.kill(-child.pid, 'SIGINT');
  await ended;
  return { ready, firstWords };
}

async function untilFirstWords(url: string): Promise<void> {
  const guest = await visitor(url).guest();
  const { body } = await guest.send(await guest.conversation(), 'Hello');
  const tail = () => guest.get<ReplyTail>(`/replies/${body.reply.id}`);
  while ((await tail()).body.deltas.length === 0) await sleep(5);
}

const root = process.cwd();
const folder = await mkdtemp(path.join(tmpdir(), 'stolas-boot-'));
const rows: string[][] = [];
try {
  const data = path.join(folder, 'data');
  const row = (name: string, { ready, firstWords }: Start) =>
    rows.push([name, seconds(ready), seconds(firstWords)]);
  row('built clone, new data folder', await start(root, data));
  const second = await start(root, data);
  row('built clone, same data folder', second);
  if (process.argv.includes('--clean')) {
    const clone = (name: string) => {
      const target = path.join(folder, name);
      execFileSync('git', ['clone', '--quiet', root, target]);
      return { target, env: { npm_config_cache: path.join(folder, `${name}-npm`) } };
    };
    const floor = clone('floor');
    const begun = performance.now();
    execFileSync('npm', ['ci', '--silent'], {
      cwd: floor.target,
      env: { ...process.env, ...floor.env },
    });
    rows.push(['floor: npm ci alone, empty cache', seconds(performance.now() - begun), '–']);
    const fresh = clone('fresh');
    row(
      'clean clone, empty npm cache',
      await start(fresh.target, path.join(folder, 'clean'), fresh.env),
    );
  }
  printTitle('boot: from npm start to the first words');
  printTable(['npm start', 'ready', 'first words'], rows);
  printVerdicts([atMost('second start to ready', second.ready, SECOND_START_MS, seconds)]);
} finally {
  await rm(folder, { recursive: true, force: true });
}
