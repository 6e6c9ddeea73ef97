import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, it } from 'vitest';

/** Logs while it stops; without its parent, that output has no reader. */
const CHILD = `
import { createLog } from '../log.ts';
import { announceReady, onStop } from './child.ts';
const log = createLog({ level: 'info', name: 'child' });
onStop(async () => {
  for (let line = 1; line <= 5; line += 1) log.info('it stops: ' + line);
}, { withinMs: 1_000 });
setInterval(() => undefined, 1_000);
announceReady();
`;

const PARENT = `
import { fork } from 'node:child_process';
const child = fork(process.argv[2], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
child.once('message', () => console.log(child.pid));
child.stdout.pipe(process.stdout);
process.on('SIGTERM', () => child.kill('SIGTERM'));
`;

// Inside the workspace, because the bundle loads its packages from there.
const cache = path.join(import.meta.dirname, '../../.cache');
let folder: string;
let parent: ChildProcess;
let output: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(cache, 'child-'));
  const [child, script] = [path.join(folder, 'child.mjs'), path.join(folder, 'parent.mjs')];
  await build({
    stdin: { contents: CHILD, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile: child,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
  await writeFile(script, PARENT);
  output = '';
  parent = spawn(process.execPath, [script, child], { stdio: ['ignore', 'pipe', 'inherit'] });
  parent.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
});
afterEach(async () => {
  parent.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** The id of the child process, once it is ready. */
async function childPid(): Promise<number> {
  await expect.poll(() => output).toMatch(/^\d+\n/);
  return Number.parseInt(output, 10);
}

/** An ended process may stay listed until its exit status is read. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !'ZX'.includes(stat.charAt(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

it('ends when its parent is killed, although its last lines have no reader', async () => {
  const pid = await childPid();
  parent.kill('SIGKILL');
  await expect.poll(() => isAlive(pid)).toBe(false);
});

it('writes its last lines when it is asked to end', async () => {
  const pid = await childPid();
  const ended = once(parent, 'exit');
  parent.kill('SIGTERM');
  await ended;
  expect(isAlive(pid)).toBe(false);
  expect(output).toContain('it stops: 5');
});
