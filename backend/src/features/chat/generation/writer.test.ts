import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { newId } from '../../../../test/chat.ts';
import { startRedis, type TestProcess } from '../../../../test/processes.ts';
import type { ReplyPart, ReplyPartType } from '../../../contract/messages.ts';
import { connectRedis, type Redis } from '../../../db/redis.ts';
import { conversationChannel, createBus, userChannel } from '../../../realtime/bus.ts';
import { type Channels, createChannels } from '../../../realtime/channels.ts';
import { cutParts, joinDeltas, lengthOf } from '../messages/index.ts';
import { createReplyLog, FencedError, type LogWriter, logKey, type ReplyLog } from './log.ts';
import { DeltaWriter } from './writer.ts';

let server: TestProcess;
let redis: Redis;
let channels: Channels;
let log: ReplyLog;

beforeAll(async () => {
  server = await startRedis();
  redis = await connectRedis(server.url, { retry: 'never', onError: () => undefined });
  channels = createChannels(redis);
  log = createReplyLog(redis, busOf(channels));
  return () => {
    channels.close();
    redis.disconnect();
  };
});

interface Options {
  kept?: ReplyPart[];
  paceMs?: number;
  log?: Pick<ReplyLog, 'append' | 'ping'>;
  onFenced?: (error: FencedError) => void;
  confirm?: () => Promise<void>;
  logged?: { id: string; conversationId: string };
  attempt?: number;
}

function start(options: Options = {}) {
  const { kept = [], paceMs = 1, onFenced = () => undefined, attempt = 1 } = options;
  const { confirm = async () => undefined } = options;
  const ownerId = newId();
  const logged = options.logged ?? { id: newId(), conversationId: newId() };
  const { id: replyId, conversationId } = logged;
  const logWriter = { replyId, conversationId, ownerId, attempt };
  const writer = new DeltaWriter({
    writer: logWriter,
    kept,
    log: options.log ?? log,
    paceMs: () => paceMs,
    confirm,
    onFenced,
  });
  writer.start();
  const read = (from: ReplyPart[] = []) =>
    log.read(logged, attempt, lengthOf(from)).then((deltas) => joinDeltas(from, deltas));
  return { writer, read, logged, key: logKey(logged), logWriter };
}

/** Everything published of a conversation and to its user from now on. */
async function listen({ conversationId, ownerId }: LogWriter): Promise<string[]> {
  const published: string[] = [];
  for (const channel of [conversationChannel(conversationId), userChannel(ownerId)])
    await channels.subscribe(channel, (text) => published.push(text));
  return published;
}

const busOf = (of: Channels) => createBus(of, () => undefined);

/** The same numbers for the same seed. */
function randomOf(seed: number) {
  let state = seed * 2_654_435_761 + 1;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const CHARACTERS = ['a', ' ', '\n', 'é', 'e\u0301', '漢', '🦉', '👩‍👩‍👧', '```'];

/** A text of whole characters, cut into pieces anywhere, also inside surrogate pairs. */
function randomPieces(random: (below: number) => number) {
  const text = Array.from({ length: 5 + random(60) }, () => CHARACTERS[random(9)]).join('');
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = from + 1 + random(7);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return { text, pieces };
}

const isWhole = (parts: readonly ReplyPart[]) =>
  parts.every(({ text }) => !/\p{Surrogate}|\uFFFD/u.test(text));

describe('a delta writer', () => {
  it('fault 27: loses nothing and publishes no half of a character, wherever the provider cuts the text', async () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = randomOf(seed);
      const { writer, read } = start({ paceMs: 0 });
      const expected: ReplyPart[] = [];
      for (let n = 0; n < 3; n += 1) {
        const type: ReplyPartType = n === 1 ? 'text' : 'reasoning';
        const { text, pieces } = randomPieces(random);
        expected.push({ type, text });
        for (const piece of pieces) {
          writer.push(type, piece);
          expect(isWhole(writer.parts)).toBe(true);
          expect(lengthOf(writer.parts)).toBe(writer.length);
          expect(random(4) > 0 || isWhole(await read())).toBe(true);
        }
      }
      await writer.close();
      expect(writer.parts).toEqual(expected);
      expect(await read()).toEqual(expected);
      // A reader with any whole characters, as from a checkpoint, gets the rest.
      const cut = cutParts(expected, random(writer.length));
      const checkpoint = isWhole(cut) ? cut : cutParts(cut, lengthOf(cut) - 1);
      expect(await read(checkpoint)).toEqual(expected);
    }
  });

  it('drops a half of a character that never gets its other half', async () => {
    const { writer } = start();
    writer.push('reasoning', 'Hm \uD83E');
    writer.push('text', 'Owl \uD83E');
    await writer.close();
    expect(writer.parts).toEqual([
      { type: 'reasoning', text: 'Hm ' },
      { type: 'text', text: 'Owl ' },
    ]);
  });

  it('publishes the first delta at once and the next ones at intervals, sooner when much text waits', async () => {
    const appended: string[] = [];
    const recording = {
      ping: log.ping,
      append: async (...[writer, entry]: Parameters<ReplyLog['append']>) => {
        const isLogged = await log.append(writer, entry);
        appended.push(entry.deltas.map(({ delta }) => delta).join(''));
        return isLogged;
      },
    };
    const { writer } = start({ paceMs: 3_600_000, log: recording });
    writer.push('text', 'first');
    await expect.poll(() => appended).toEqual(['', 'first']);
    writer.push('text', 'second');
    writer.push('text', 'x'.repeat(506));
    await expect.poll(() => appended).toHaveLength(3);
    writer.push('text', 'last');
    await writer.close();
    expect(appended.at(-1)).toBe('last');
  });

  it('with a pace, publishes at the same time as other replies', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const appendedAt: number[] = [];
    const recording = {
      ping: async () => undefined,
      append: async (_: LogWriter, { deltas }: Parameters<ReplyLog['append']>[1]) => {
        if (deltas[0]?.delta === 'second') appendedAt.push(performance.now());
        return true;
      },
    };
    for (let reply = 0; reply < 4; reply += 1) {
      await vi.advanceTimersByTimeAsync(1);
      const { writer } = start({ paceMs: 40, log: recording });
      writer.push('text', 'first');
      await vi.advanceTimersByTimeAsync(1);
      writer.push('text', 'second');
    }
    await vi.advanceTimersByTimeAsync(100);
    const [time = 0] = appendedAt;
    expect(time % 10).toBe(0);
    expect(appendedAt).toEqual([time, time, time, time]);
  });

  it('logs the text that it continues, and appends to it', async () => {
    const kept: ReplyPart[] = [
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'Owls ' },
    ];
    const { writer, read } = start({ kept });
    writer.push('text', 'hoot.');
    await writer.close();
    expect(await read()).toEqual([kept[0], { type: 'text', text: 'Owls hoot.' }]);
  });

  it('publishes the bytes that it logs', async () => {
    const { writer, key, logWriter } = start();
    const published = await listen(logWriter);
    writer.push('text', 'one 🦉');
    const deltas = () => published.filter((text) => text.includes('reply:delta'));
    await expect.poll(() => deltas().join()).toContain('one 🦉');
    await writer.close();
    const logged = (await redis.xrange(key, '-', '+')).map(([, [, text]]) => text);
    // The begin of an attempt without text is logged as an empty entry.
    expect(logged.filter((text) => text !== '')).toEqual(deltas());
  });

  it('of the build before these keys is read from its own log, which is removed with the reply', async () => {
    const logged = { id: newId(), conversationId: newId() };
    const delta = { part: 0, type: 'text', offset: 0, delta: 'from the former build' };
    await redis.xadd(`reply:${logged.id}`, '1-1', 'delta', JSON.stringify(delta));
    expect(await log.read(logged, 1, 0)).toEqual([delta]);
    expect(await log.read(logged, 2, 0)).toEqual([]);
    expect(await log.count([logged])).toBe(1);
    await log.remove([logged]);
    expect(await log.count([logged])).toBe(0);
  });

  it('is fenced off by a later attempt', async () => {
    const fences: FencedError[] = [];
    const first = start({ onFenced: (error) => fences.push(error) });
    first.writer.push('text', 'old');
    await expect.poll(() => first.read()).toEqual([{ type: 'text', text: 'old' }]);
    const second = start({ logged: first.logged, attempt: 2 });
    second.writer.push('text', 'new');
    await expect.poll(() => second.read()).toEqual([{ type: 'text', text: 'new' }]);
    first.writer.push('text', ' late');
    await expect.poll(() => fences).toHaveLength(1);
    await first.writer.close();
    expect(await first.read()).toEqual([{ type: 'text', text: 'old' }]);
  });

  describe('that has lost its log', () => {
    /** An attempt whose log is removed after its first text. */
    const loseLog = async (options: Options = {}) => {
      const started = start(options);
      started.writer.push('text', 'one ');
      await expect.poll(() => started.read()).toEqual([{ type: 'text', text: 'one ' }]);
      await redis.del(started.key);
      return { ...started, published: await listen(started.logWriter) };
    };

    it('begins it again once the database has confirmed the attempt, and it expires', async () => {
      let confirmed = 0;
      const confirm = async () => {
        confirmed += 1;
        if (confirmed < 3) throw new Error('The database is unreachable.');
        expect(await redis.exists(key)).toBe(0);
      };
      const { writer, read, key, published } = await loseLog({ confirm });
      const stored: ReplyPart[] = [{ type: 'text', text: 'one ' }];
      writer.push('text', 'two ');
      await expect.poll(() => read(stored)).toEqual([{ type: 'text', text: 'one two ' }]);
      expect(confirmed).toBe(3);
      expect(await redis.ttl(key)).toBeGreaterThan(0);
      writer.push('text', 'three');
      await writer.close();
      expect(await read(stored)).toEqual([{ type: 'text', text: 'one two three' }]);
      expect(confirmed).toBe(3);
      await expect.poll(() => published.join('')).toContain('three');
      expect(published.join('').match(/two/g)).toHaveLength(1);
    });

    it('logs and publishes nothing when the reply was removed or a later attempt has it', async () => {
      const fences: FencedError[] = [];
      const { writer, key, logWriter, published } = await loseLog({
        confirm: async () => Promise.reject(new FencedError('Removed.')),
        onFenced: (error) => fences.push(error),
      });
      writer.push('text', 'two ');
      await expect.poll(() => fences).toHaveLength(1);
      writer.push('text', 'three');
      await writer.close();
      await redis.publish(conversationChannel(logWriter.conversationId), 'last');
      await expect.poll(() => published).toEqual(['last']);
      expect(await redis.exists(key)).toBe(0);
    });

    it('also confirms a beginning that it repeats', async () => {
      let calls = 0;
      const { writer } = start({
        confirm: async () => Promise.reject(new FencedError('Removed.')),
        onFenced: () => (calls += 10),
        log: {
          ping: log.ping,
          append: async () => {
            calls += 1;
            throw new Error('timeout');
          },
        },
      });
      await expect.poll(() => calls).toBe(11);
      await writer.close();
      expect(calls).toBe(11);
    });
  });

  it('that is fenced off publishes nothing', async () => {
    const first = start();
    const published = await listen(first.logWriter);
    first.writer.push('text', 'old');
    await expect.poll(() => first.read()).toHaveLength(1);
    const writer = { ...first.logWriter, attempt: 2 };
    await log.fence(writer);
    await expect.poll(() => published.join('')).toContain('old');
    const deltas = [{ part: 0, type: 'text' as const, offset: 3, delta: 'late' }];
    const { replyId, conversationId } = writer;
    const state = { replyId, conversationId, attempt: 1, length: 7 };
    const late = { ...writer, attempt: 1 };
    await expect(log.append(late, { seq: 9, deltas })).rejects.toBeInstanceOf(FencedError);
    const begin = { seq: 10, deltas, state: { ...state, status: 'streaming' as const } };
    await expect(log.append(late, begin)).rejects.toBeInstanceOf(FencedError);
    await log.end(late.ownerId, { ...state, status: 'interrupted' });
    await log.append(writer, { seq: 1, deltas: [{ ...deltas[0], delta: 'new' }] as never });
    await expect.poll(() => published.at(-1)).toContain('new');
    expect(published.join('')).not.toMatch(/late|interrupted/);
    await first.writer.close();
  });

  it('sends nothing twice while Redis does not answer, and continues when it does', async () => {
    const { Redis: Client } = await import('ioredis');
    const hung = new Client(server.url, { commandTimeout: 100, maxRetriesPerRequest: 0 });
    hung.on('error', () => undefined);
    const hungLog = createReplyLog(hung, busOf(channels));
    const sent = { characters: 0, pings: 0 };
    const counting = {
      append: (...[writer, entry]: Parameters<ReplyLog['append']>) => {
        for (const { delta } of entry.deltas) sent.characters += delta.length;
        return hungLog.append(writer, entry);
      },
      ping: () => {
        sent.pings += 1;
        return hungLog.ping();
      },
    };
    const { writer, read } = start({ log: counting });
    writer.push('text', 'begun ');
    await expect.poll(() => read()).toEqual([{ type: 'text', text: 'begun ' }]);
    server.signal('SIGSTOP');
    let pushed = 'begun ';
    while (sent.pings < 4) {
      writer.push('text', '0123456789');
      pushed += '0123456789';
      await sleep(10);
    }
    // One append was under way when Redis stopped; nothing else was sent.
    expect(sent.characters).toBeLessThanOrEqual('begun '.length + 2 * 512);
    server.signal('SIGCONT');
    await expect.poll(() => read()).toEqual([{ type: 'text', text: pushed }]);
    await writer.close();
    hung.disconnect();
  });

  it('closes without waiting while Redis does not answer', async () => {
    const never = { append: async () => Promise.reject(new Error('timeout')), ping: log.ping };
    const { writer } = start({ log: never });
    writer.push('text', 'kept');
    await writer.close();
    expect(writer.parts).toEqual([{ type: 'text', text: 'kept' }]);
  });
});
