import { execFileSync } from 'node:child_process';
import { testFileReader } from '../../test/file-reader.ts';
import type { FileReaderOptions } from './index.ts';

const HELPERS = `
  import fs from 'node:fs';
  import os from 'node:os';
  import path from 'node:path';
  import readline from 'node:readline';
  const send = (message) => fs.writeSync(3, JSON.stringify(message) + '\\n');
  const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  const picture = (text) =>
    send({ is: 'bytes', type: 'image/webp', base64: Buffer.from(text).toString('base64') });
  const onRequest = (answer) =>
    readline.createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line)));
`;

let scripts = 0;

/** A reader whose child runs `source` instead of reading, and the number of running children. */
export async function fakeChild(
  put: (name: string, text: string) => Promise<{ path: string }>,
  source: string,
  options: Partial<FileReaderOptions> = {},
) {
  scripts += 1;
  const { path: script } = await put(`child-${scripts}.mjs`, HELPERS + source);
  const living = () =>
    execFileSync('ps', ['-e', '-o', 'stat=,args='], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.includes(script) && !line.startsWith('Z')).length;
  return { reader: testFileReader({ script, ...options }), living };
}
