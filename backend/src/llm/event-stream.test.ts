import { APIError } from 'openai';
import { describe, expect, it } from 'vitest';
import { readEvents } from './event-stream.ts';

/** As a socket delivers them. */
const PIECE = 65_536;

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** An answer that arrives in these pieces. */
const answerOf = (pieces: Iterable<Uint8Array>) =>
  new Response(ReadableStream.from(pieces), { headers: { 'x-request-id': 'r1' } });

async function readAll(pieces: Iterable<Uint8Array>): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of readEvents(answerOf(pieces))) chunks.push(chunk);
  return chunks;
}

describe('the events of a streamed answer', () => {
  const STREAM = bytesOf(
    ': ping\r\n\r\ndata: {"n":1,\r\ndata: "owl":"🦉"}\r\n\r\nevent: x\ndata: {"n":2}\n\n\ndata: [DONE]\n\ndata: {"n":3}',
  );

  it('are read from pieces that are cut at any byte', async () => {
    const all = [{ n: 1, owl: '🦉' }, { n: 2 }];
    for (let at = 0; at <= STREAM.length; at += 1)
      expect(await readAll([STREAM.slice(0, at), STREAM.slice(at)])).toEqual(all);
  });

  it.each([
    ['is not JSON', 'data: {"n":', 'JSON'],
    ['has no end', `data: ${'x'.repeat(2 ** 23)}`, 'too long'],
    ['has lines without an end', `data: ${'x'.repeat(99)}\n`.repeat(2 ** 16), 'too long'],
  ])('up to one that %s are read', async (_, text, message) => {
    const chunks: unknown[] = [];
    const reading = (async () => {
      const bytes = bytesOf(`data: {"n":1}\n\n${text}\n\n`);
      const pieces = Array.from({ length: Math.ceil(bytes.length / PIECE) }, (_piece, n) =>
        bytes.slice(n * PIECE, (n + 1) * PIECE),
      );
      for await (const chunk of readEvents(answerOf(pieces))) chunks.push(chunk);
    })();
    await expect(reading).rejects.toThrow(SyntaxError);
    await expect(reading).rejects.toThrow(message);
    expect(chunks).toEqual([{ n: 1 }]);
  });

  it('that arrive all at once leave turns to other work', async () => {
    let turns = 0;
    let isRead = false;
    const work = (): void => {
      turns += 1;
      if (!isRead) setImmediate(work);
    };
    setImmediate(work);
    const chunks = await readAll([bytesOf('data: 1\n\n'.repeat(10_000))]);
    isRead = true;
    expect(chunks).toHaveLength(10_000);
    expect(turns).toBeGreaterThan(30);
  });

  it('may be an error', async () => {
    const sent = { message: 'Overloaded', code: 'rate_limit_exceeded' };
    const error: unknown = await readAll([
      bytesOf(`data: ${JSON.stringify({ error: sent })}\n\n`),
    ]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', requestID: 'r1' });
  });
});
