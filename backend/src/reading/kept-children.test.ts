import { expect, it } from 'vitest';
import { fakeChild } from './fake-child.fixture.ts';
import { createFiles } from './reading.fixture.ts';

const { put } = createFiles();

/** Answers each request with a picture that contains its process id and the number of its requests. */
const COUNT = `
  let count = 0;
  onRequest((request) => {
    count += 1;
    picture(process.pid + ' ' + count);
    send({ is: 'done', truncated: false });
  });`;

async function renderer(source: string, options = {}) {
  const { reader, living } = await fakeChild(put, source, options);
  const file = await put('a.pdf', 'x');
  const draw = async (n: number, path = file.path) => {
    const [pid, count] = String(await reader.renderPage({ ...file, path, n, width: 100 })).split(
      ' ',
    );
    return { pid, count: Number(count) };
  };
  return { draw, living, file, reader };
}

it('draws the pages of a file in one child, one after the other', async () => {
  const { draw, living } = await renderer(COUNT);
  const [first, second] = await Promise.all([draw(1), draw(2)]);
  const third = await draw(3);
  expect([first.count, second.count, third.count]).toEqual([1, 2, 3]);
  expect(new Set([first.pid, second.pid, third.pid]).size).toBe(1);
  expect(living()).toBe(1);
});

it('ends a child without a request for a while', async () => {
  const { draw, living } = await renderer(COUNT, { idleMs: 50 });
  await draw(1);
  await expect.poll(living).toBe(0);
  expect((await draw(2)).count).toBe(1);
});

it('keeps no more waiting children than may work at once, and ends the one that waits longest', async () => {
  const { draw, living } = await renderer(COUNT, { concurrency: 2 });
  for (const path of ['/1.pdf', '/2.pdf', '/3.pdf']) await draw(1, path);
  await expect.poll(living).toBe(2);
  expect((await draw(2, '/3.pdf')).count).toBe(2);
  expect((await draw(2, '/1.pdf')).count).toBe(1);
});

it('draws in a new child when the kept one ends or gives up', async () => {
  const failures = [
    'process.kill(process.pid, "SIGKILL")',
    'send({ is: "failed", code: "too_complex", detail: "" })',
    'send({ is: "nonsense" })',
  ];
  for (const failure of failures) {
    const { draw, living } = await renderer(`
      let count = 0;
      onRequest(({ n }) => {
        count += 1;
        if (n === 2 && count > 1) return ${failure};
        picture(process.pid + ' ' + count);
        send({ is: 'done', truncated: false });
      });`);
    await draw(1);
    expect((await draw(2)).count).toBe(1);
    await expect.poll(living).toBe(1);
  }
});

it('keeps the child when it reports that a page cannot be drawn', async () => {
  const { draw } = await renderer(`
    let count = 0;
    onRequest(({ n }) => {
      count += 1;
      if (n === 2) return send({ is: 'failed', code: 'damaged', detail: '' });
      picture(process.pid + ' ' + count);
      send({ is: 'done', truncated: false });
    });`);
  await draw(1);
  await expect(draw(2)).rejects.toMatchObject({ code: 'damaged' });
  expect((await draw(3)).count).toBe(3);
});

it('kills a child that hangs, does not draw its page again, and draws the next one in a new child', async () => {
  const { draw, living } = await renderer(
    `let count = 0;
     onRequest(() => {
       count += 1;
       // A new child would not hang.
       if (count === 2) sleep(600_000);
       picture(process.pid + ' ' + count);
       send({ is: 'done', truncated: false });
     });`,
    { timeoutMs: 5_000 },
  );
  await draw(1);
  await expect(draw(2)).rejects.toMatchObject({ code: 'timed_out' });
  await expect.poll(living).toBe(0);
  expect((await draw(3)).count).toBe(1);
});

it('reports the failure of a new child, and starts no third one', async () => {
  const { draw, living } = await renderer(`onRequest(() => process.kill(process.pid, 'SIGKILL'));`);
  await expect(draw(1)).rejects.toMatchObject({ name: 'UnreadableFileError', code: 'too_complex' });
  await expect.poll(living).toBe(0);
});

it('has the whole text of a file whose thumbnail crashes the child', async () => {
  const { reader, file } = await renderer(`onRequest(() => {
    send({ is: 'page', page: { n: 1, text: 'Owls' } });
    send({ is: 'text', truncated: true });
    process.kill(process.pid, 'SIGKILL');
  });`);
  const read = await reader.read({ ...file, thumbnailWidth: 400 });
  expect(read).toMatchObject({ pages: [{ n: 1, text: 'Owls' }], truncated: true });
  expect(read.thumbnail).toBeUndefined();
});
