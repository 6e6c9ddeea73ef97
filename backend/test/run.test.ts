// `npm start`: real processes on a separate data folder, killed by real signals.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../embedded/run/ports.ts';
import { buildForTests } from './build.ts';
import { temporaryFolder } from './processes.ts';

type Run = {
  pid: number;
  port: number;
  dataDir: string;
  output(): string;
  ended: Promise<number | null>;
};

/** Parent processes are read from Linux's /proc. */
const tellsFamilies = process.platform === 'linux';

let scripts = '';
let remove = async () => undefined as void;
const started: Run[] = [];

beforeAll(async () => {
  const build = await buildForTests({ label: 'run', product: false });
  ({ embedded: scripts, remove } = build);
  // These tests cover starting and ending the product's processes: fakes replace web and worker.
  mkdirSync(build.product, { recursive: true });
  for (const name of ['web', 'worker']) writeFileSync(path.join(build.product, `${name}.js`), FAKE);
  writeFileSync(path.join(build.product, 'check-model.js'), FAKE_CHECK);
});
afterEach(async () => {
  for (const { pid, ended } of started.splice(0)) {
    signal(pid, 'SIGKILL');
    await ended;
  }
});
afterAll(() => remove());

describe.runIf(tellsFamilies)('npm start', () => {
  it('prints its URL when it is ready, and Ctrl-C ends it with everything it started', async () => {
    const run = await startRun('all');
    await says(run, /STOLAS is ready at http:\/\/localhost:\d+/);
    const all = family(run.pid);
    expect(all.length).toBeGreaterThan(6);
    signal(run.pid, 'SIGINT');
    expect(await run.ended).toBe(0);
    expect(all.filter(alive)).toEqual([]);
  });

  it('stops the web process first, so that no request meets half-stopped services', async () => {
    const run = await startRun('all');
    await says(run, /is ready at/);
    signal(run.pid, 'SIGTERM');
    await run.ended;
    expect(stopTime(run, 'web')).toBeLessThanOrEqual(stopTime(run, 'worker'));
  });

  it('leaves no process behind when it is killed outright', async () => {
    const run = await startRun('all');
    await says(run, /is ready at/);
    const all = family(run.pid);
    signal(run.pid, 'SIGKILL');
    await vi.waitFor(() => expect(all.filter(alive)).toEqual([]), { timeout: 120_000 });
  });

  it('runs several processes of each kind, each with a name and a log of its own, behind one address', async () => {
    const run = await startRun('all', { WEB_PROCESSES: '2', WORKER_PROCESSES: '3' });
    await says(run, /is ready at/);
    const names = ['web.1', 'web.2', 'worker.1', 'worker.2', 'worker.3'];
    for (const name of names) expect(run.output()).toContain(`✓ ${name} runs`);
    expect(readdirSync(path.join(run.dataDir, 'logs'))).toEqual(
      expect.arrayContaining(names.map((name) => `${name}.log`)),
    );
    const [first = 0] = family(run.pid).filter((pid) => commandLine(pid).includes('/web.js'));
    signal(first, 'SIGKILL');
    // A dying process still accepts connections.
    await says(run, /web\.\d ended \(SIGKILL\); it starts again in 0\.5 s/);
    expect((await fetch(`http://127.0.0.1:${run.port}`)).ok).toBe(true);
    await says(run, /web\.\d runs again/);
  });

  it('reports a child process that ended and restarts it', async () => {
    const run = await startRun('all');
    await says(run, /is ready at/);
    const worker = family(run.pid).find((pid) => commandLine(pid).includes('worker.js')) ?? -1;
    signal(worker, 'SIGKILL');
    await says(run, /worker runs again/);
    expect(run.output()).toMatch(/worker ended \(SIGKILL\); it starts again in 0\.5 s/);
    const redis = family(run.pid).find((pid) => commandLine(pid).includes('redis-server')) ?? -1;
    signal(redis, 'SIGKILL');
    await says(run, /redis runs again/);
  });

  it('ends with the message of a child that cannot start, and leaves nothing behind', async () => {
    const run = await startRun('all', { FAIL_AT_START: 'web' });
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain('✗ web did not start: exit code 3\nthe reason is this');
    expect(
      readdirSync('/proc').filter((pid) => commandLine(Number(pid)).includes(run.dataDir)),
    ).toEqual([]);
  });

  it('shows warnings on the terminal, and keeps everything in the log', async () => {
    const run = await startRun('all');
    await says(run, /✗ web: something is odd/);
    expect(run.output()).not.toContain('nothing special');
    expect(readFileSync(path.join(run.dataDir, 'logs/web.log'), 'utf8')).toContain(
      'nothing special',
    );
  });
});

describe.runIf(tellsFamilies)('npm start with a model of the operator', () => {
  const model = { OPENAI_API_KEY: 'none', OPENAI_MODEL: 'llama3.2' };

  it('prints whether it answers, before it is ready', async () => {
    const run = await startRun('all', model);
    await says(run, /✓ llama3\.2 answers\n[^]*STOLAS is ready at/);
    expect(run.output()).not.toContain('demo model');
  });

  it('is ready without waiting for that answer', async () => {
    const run = await startRun('all', { ...model, FAIL_AT_START: 'check-model' });
    await says(run, /STOLAS is ready at/);
    expect(run.output()).toContain('✗ The model could not be checked.\n');
  });

  it('does not call the demo model', async () => {
    const run = await startRun('all');
    await says(run, /The demo model answers/);
    expect(run.output()).not.toMatch(/ answers\n/);
  });
});

describe.runIf(tellsFamilies)('npm run dev -- --inspect', () => {
  it('gives web and worker a debugger each, at printed addresses', async () => {
    const run = await startRun('all', { INSPECT: 'true' });
    await says(run, /is ready at/);
    for (const name of ['web', 'worker']) {
      const [, address] =
        new RegExp(`debugger of ${name} attaches to (\\S+)`).exec(run.output()) ?? [];
      const targets = await (await fetch(`http://${address}/json/list`)).json();
      expect(targets).toEqual([
        expect.objectContaining({ url: expect.stringContaining(`${name}.js`) }),
      ]);
    }
  });
});

describe.runIf(tellsFamilies)(
  'a run that cannot start prints one sentence with the solution',
  () => {
    it('a port in use', async () => {
      const other = createServer();
      const port = await freePort();
      await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
      const run = await startRun('all', { PORT: String(port) });
      expect(await run.ended).toBe(1);
      expect(run.output()).toBe(
        `✗ Port ${port} is in use. Stop what uses it, or choose another one: PORT=${port + 1} npm start\n`,
      );
      other.close();
    });

    it('a data folder in use, until the one that uses it is killed', async () => {
      const first = await startRun('services');
      await says(first, /The services are ready/);
      const second = await startRun('services', { DATA_DIR: first.dataDir });
      expect(await second.ended).toBe(1);
      expect(second.output()).toMatch(
        /^✗ The data folder .* is in use by another STOLAS that runs\..*\n$/,
      );
      const all = family(first.pid);
      signal(first.pid, 'SIGKILL');
      await vi.waitFor(() => expect(all.filter(alive)).toEqual([]), { timeout: 120_000 });
      const third = await startRun('services', { DATA_DIR: first.dataDir });
      await says(third, /The services are ready/);
    });

    it('in production, the missing services, as the process reports them', async () => {
      const run = await startRun('all', { NODE_ENV: 'production' });
      expect(await run.ended).toBe(1);
      expect(run.output()).toMatch(
        /✗ (web|worker) did not start: exit code 1\nMONGODB_URI is not set/,
      );
      expect(readdirSync(run.dataDir)).toEqual(['logs']);
    });

    it('in production, several web processes without a load balancer', async () => {
      const run = await startRun('all', { NODE_ENV: 'production', WEB_PROCESSES: '2' });
      expect(await run.ended).toBe(1);
      expect(run.output()).toContain('start the web processes behind a load balancer');
    });

    it('an invalid PORT, as the web process reports it', async () => {
      const run = await startRun('all', { PORT: 'http' });
      expect(await run.ended).toBe(1);
      expect(run.output()).toContain('✗ web did not start: exit code 1\nPORT: http');
    });
  },
);

describe.runIf(tellsFamilies)('npm run services', () => {
  it('prints lines that lead to each service, with keys that only their owner can read', async () => {
    const run = await startRun('services');
    await says(run, /The services are ready/);
    const settings = Object.fromEntries(
      [...run.output().matchAll(/^([A-Z0-9_]+)=(.+)$/gm)].map(([, name, value]) => [name, value]),
    );
    expect(settings).toMatchObject({
      MONGODB_URI: expect.stringMatching(/^mongodb:/),
      REDIS_URL: expect.stringMatching(/^redis:/),
      S3_ENDPOINT: expect.stringMatching(/^http:/),
      S3_BUCKET: 'stolas',
      S3_ACCESS_KEY_ID: expect.any(String),
      S3_SECRET_ACCESS_KEY: expect.any(String),
      STRIPE_API_URL: expect.stringMatching(/^http:/),
      STRIPE_SECRET_KEY: expect.stringMatching(/^sk_embedded_\w{48}$/),
      STRIPE_WEBHOOK_SECRET: expect.stringMatching(/^whsec_\w{48}$/),
    });
    expect(statSync(path.join(run.dataDir, 's3-keys.json')).mode & 0o777).toBe(0o600);
  });

  it('leaves out what a setting replaces', async () => {
    const elsewhere = { REDIS_URL: 'redis://elsewhere', STRIPE_SECRET_KEY: 'sk_test_1' };
    const run = await startRun('services', elsewhere);
    await says(run, /The services are ready/);
    expect(run.output()).not.toMatch(/REDIS_URL=|STRIPE_/);
    const embedded = family(run.pid).filter((pid) => /redis|stripe\.js/.test(commandLine(pid)));
    expect(embedded).toEqual([]);
  });
});

const FAKE = `
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
const name = path.basename(process.argv[1], '.js');
if (process.env.FAIL_AT_START === name) { console.error('the reason is this'); process.exit(3); }
const fail = (text) => { console.error(text); process.exit(1); };
if (!process.env.MONGODB_URI) fail('MONGODB_URI is not set');
if (name === 'web' && Number.isNaN(Number(process.env.PORT))) fail('PORT: ' + process.env.PORT);
const end = () => {
  writeFileSync(path.join(process.env.TEST_NOTES, name), String(process.hrtime.bigint()));
  setTimeout(() => process.exit(0), 50);
};
process.on('SIGTERM', end).on('disconnect', end);
console.log(JSON.stringify({ level: 30, msg: 'nothing special' }));
console.log(JSON.stringify({ level: 40, msg: 'something is odd' }));
const port = name === 'web' ? Number(process.env.PORT) : 0;
createServer((_, answer) => answer.end('{}')).listen(port, '127.0.0.1', () => process.send({ type: 'ready', port }));
`;

const FAKE_CHECK = `
if (process.env.FAIL_AT_START === 'check-model') process.exit(3);
console.log('✓ ' + process.env.OPENAI_MODEL + ' answers');
`;

async function startRun(name: string, given: Record<string, string> = {}): Promise<Run> {
  const dataDir = given.DATA_DIR ?? (await temporaryFolder());
  const port = Number(given.PORT ?? (await freePort()));
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, PORT: String(port), DATA_DIR: dataDir, TEST_NOTES: dataDir, ...given };
  const child = spawn(process.execPath, [path.join(scripts, `${name}.js`)], { env });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      written += text;
    });
  }
  const ended = new Promise<number | null>((resolve) =>
    child.once('close', (code) => resolve(code)),
  );
  const run = { pid: child.pid ?? -1, port, dataDir, output: () => written, ended };
  started.push(run);
  return run;
}

/** Waits until the terminal shows `what`; fails at once when the run has ended without it. */
async function says(run: Run, what: RegExp): Promise<void> {
  const over = new AbortController();
  void run.ended.finally(() => over.abort());
  const shown = () => over.signal.aborted || what.test(run.output());
  await vi.waitFor(() => expect(shown()).toBe(true), { timeout: 120_000, interval: 50 });
  expect(run.output()).toMatch(what);
}

const stopTime = (run: Run, name: string) =>
  BigInt(readFileSync(path.join(run.dataDir, name), 'utf8'));

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has already ended.
  }
}

/** The process and all its descendants, as reported by the system. */
function family(pid: number): number[] {
  const children = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && status(Number(name)).parent === pid,
  );
  return [pid, ...children.flatMap((child) => family(Number(child)))];
}

const alive = (pid: number): boolean => !['', 'Z', 'X'].includes(status(pid).state);

function status(pid: number): { state: string; parent: number } {
  const stat = read(`/proc/${pid}/stat`);
  const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state, parent: Number(parent) };
}

const commandLine = (pid: number): string => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
