import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { testFileReader } from '../../test/file-reader.ts';
import { fakeChild } from './fake-child.fixture.ts';
import type { FileReaderOptions } from './index.ts';
import { createFiles } from './reading.fixture.ts';

const { put } = createFiles();

/** A reader with a child that runs `source`, and the number of running children. */
async function readerWith(source: string, options: Partial<FileReaderOptions> = {}) {
  const { reader, living } = await fakeChild(put, source, options);
  const file = await put('a.txt', 'Text');
  return {
    living,
    read: (more: { signal?: AbortSignal } = {}) => reader.read({ ...file, ...more }),
  };
}

const HANG = 'sleep(600_000);';

it('gives the child no environment and no file to write', async () => {
  process.env.STOLAS_TEST_SECRET = 'not for children';
  const { read } = await readerWith(`
    let wrote = true;
    const file = path.join(os.tmpdir(), 'stolas-child-' + process.pid);
    process.on('SIGXFSZ', () => {});
    try { fs.writeFileSync(file, 'x'); } catch { wrote = false; }
    try { fs.unlinkSync(file); } catch {}
    send({ is: 'page', page: { n: 1, text: JSON.stringify({ env: process.env, wrote }) } });
    send({ is: 'done', truncated: false });`);
  const { env, wrote } = JSON.parse((await read()).pages[0]?.text ?? '') as {
    env: Record<string, string>;
    wrote: boolean;
  };
  // The shell sets these itself.
  const names = Object.keys(env).filter((name) => !/^(PWD|OLDPWD|SHLVL|_)$/.test(name));
  expect(names).toEqual([]);
  expect(wrote).toBe(false);
});

it('kills a child that takes too long', async () => {
  const { read, living } = await readerWith(HANG, { timeoutMs: 500 });
  await expect(read()).rejects.toMatchObject({ code: 'timed_out' });
  await expect.poll(living).toBe(0);
});

it('kills the processes that a child has started', async () => {
  const { read, living } = await readerWith(
    `import { spawn } from 'node:child_process';
     if (process.argv[2] !== 'again') spawn(process.execPath, [process.argv[1], 'again']);
     ${HANG}`,
  );
  const stop = new AbortController();
  const ended = read({ signal: stop.signal }).then(
    () => null,
    (error: unknown) => error,
  );
  await expect.poll(living).toBeGreaterThanOrEqual(2);
  stop.abort(new Error('stopped'));
  expect(await ended).toMatchObject({ message: 'stopped' });
  await expect.poll(living).toBe(0);
});

it('kills a child that closes its output and continues', async () => {
  const { read, living } = await readerWith(`fs.closeSync(3); ${HANG}`);
  await expect(read()).rejects.toMatchObject({ code: 'too_complex' });
  await expect.poll(living).toBe(0);
});

it('kills the child of an aborted call, and starts none for an aborted waiting call', async () => {
  const { read, living } = await readerWith(HANG, { concurrency: 1 });
  const running = new AbortController();
  const waiting = new AbortController();
  const first = read({ signal: running.signal });
  const second = read({ signal: waiting.signal });
  await expect.poll(living).toBe(1);
  waiting.abort(new Error('no longer wanted'));
  await expect(second).rejects.toThrow('no longer wanted');
  running.abort(new Error('stopped'));
  await expect(first).rejects.toThrow('stopped');
  await expect.poll(living).toBe(0);
});

it('reads no more files at once than its limit', async () => {
  const { path: hold } = await put('hold', '');
  const { read, living } = await readerWith(
    `while (fs.existsSync(${JSON.stringify(hold)})) sleep(20);
    sleep(300);
    send({ is: 'done', truncated: false });`,
    { concurrency: 2 },
  );
  let most = 0;
  const counting = { on: true };
  const count = async () => {
    while (counting.on) {
      most = Math.max(most, living());
      await sleep(20);
    }
  };
  const counted = count();
  const all = Promise.all(Array.from({ length: 5 }, () => read()));
  // Both children are running at the same time, however long they take to start.
  await expect.poll(() => most).toBe(2);
  await rm(hold);
  await all;
  counting.on = false;
  await counted;
  expect(most).toBe(2);
});

it.each([
  ['its heap', 'const all = []; for (;;) all.push(new Array(1_000).fill({}));'],
  ['memory outside of its heap', 'const all = []; for (;;) all.push(Buffer.alloc(50_000_000, 1));'],
])('survives a child that exhausts %s', async (_what, source) => {
  const before = process.memoryUsage().rss;
  const { read, living } = await readerWith(
    `try { ${source} } catch (error) { send({ is: 'failed', code: 'too_complex', detail: String(error) }); }`,
  );
  await expect(read()).rejects.toMatchObject({ code: 'too_complex' });
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  await expect.poll(living).toBe(0);
});

it('trusts no message of a child', async () => {
  const invalid = await readerWith(`send({ is: 'page', page: { n: 'x' } }); ${HANG}`);
  await expect(invalid.read()).rejects.toThrow('not valid');
  const noise = await readerWith(`fs.writeSync(3, 'noise\\n'); ${HANG}`);
  await expect(noise.read()).rejects.toThrow(/JSON/);
  const endless = await readerWith(`for (;;) fs.writeSync(3, 'x'.repeat(1_000_000));`);
  await expect(endless.read()).rejects.toMatchObject({ code: 'too_complex' });
  for (const { living } of [invalid, noise, endless]) await expect.poll(living).toBe(0);
});

it('treats a child that cannot start as a fault of the server', async () => {
  const reader = testFileReader({ script: '/nowhere/read-file.js' });
  const reading = reader.read(await put('a.txt', 'Text'));
  await expect(reading).rejects.toThrow(/child ended/);
  await expect(reading).rejects.not.toMatchObject({ name: 'UnreadableFileError' });
});
