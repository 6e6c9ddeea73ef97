import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLog } from './logs.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'stolas-logs-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const logOf = () => path.join(dir, 'web.log');
const readLog = () => readFileSync(logOf(), 'utf8');

it('continues in a new file when the folder of the logs is deleted', () => {
  const warnings: string[] = [];
  const log = openLog({ dir, name: 'web', warn: (text) => warnings.push(text) });
  log('before\n');
  rmSync(dir, { recursive: true });
  log('after\n');
  log('later\n');
  expect(readLog()).toBe('after\nlater\n');
  expect(warnings).toEqual([]);
});

it('continues when a file that is due to be rotated is deleted', () => {
  const log = openLog({ dir, name: 'web', warn: () => undefined });
  log('x'.repeat(5_000_001));
  rmSync(logOf());
  log('after\n');
  expect(readLog()).toBe('after\n');
});

it('drops text that cannot be written, warns once per interval, and writes again when it can', () => {
  const warnings: string[] = [];
  let now = 0;
  const log = openLog({ dir, name: 'web', warn: (text) => warnings.push(text), now: () => now });
  // Nothing can be appended to a folder.
  mkdirSync(logOf());
  log('lost\n');
  log('{"level":40,"msg":"something is odd"}\n');
  expect(warnings).toEqual([
    expect.stringMatching(/^web: its log cannot be written \(Error: EISDIR/),
    'web: something is odd',
  ]);
  now = 10_001;
  log('lost\n');
  expect(warnings).toHaveLength(3);
  rmdirSync(logOf());
  log('kept\n');
  expect(readLog()).toBe('kept\n');
});
