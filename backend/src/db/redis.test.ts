import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startRedis } from '../../test/processes.ts';
import { createChannels } from '../realtime/channels.ts';
import { connectRedis, type Redis } from './redis.ts';

/** A proxy before Redis that can become silent: it accepts connections, keeps them open and forwards nothing. */
class SilentProxy {
  private silent = false;
  /** Connections that were accepted in silence. */
  unanswered = 0;
  private readonly sockets = new Set<Socket>();
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(target: number): Promise<SilentProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const proxy = new SilentProxy(server, `redis://127.0.0.1:${port}`);
    server.on('connection', (client) => proxy.relay(client, target));
    return proxy;
  }

  goSilent(): void {
    this.silent = true;
  }

  /** New connections work again; silent ones stay silent, as after a failover. */
  recover(): void {
    this.silent = false;
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private relay(client: Socket, target: number): void {
    this.sockets.add(client.on('error', () => undefined));
    if (this.silent) {
      this.unanswered += 1;
      return;
    }
    const upstream = connect(target, '127.0.0.1').on('error', () => undefined);
    this.sockets.add(upstream);
    client.on('data', (data) => this.silent || upstream.write(data));
    upstream.on('data', (data) => this.silent || client.write(data));
    client.on('close', () => upstream.destroy());
  }
}

let proxy: SilentProxy;
let redis: Redis;
let direct: Redis;
const onError = () => undefined;

beforeEach(async () => {
  const server = await startRedis();
  proxy = await SilentProxy.start(server.port);
  direct = await connectRedis(server.url, { retry: 'never', onError });
});
afterEach(() => {
  redis.disconnect();
  direct.disconnect();
  proxy.stop();
});

describe('a connection for requests', () => {
  it('fails within 3 s when Redis accepts but never answers, then at once, and recovers by itself', async () => {
    redis = await connectRedis(proxy.url, { retry: 'never', onError });
    proxy.goSilent();
    const startedAt = performance.now();
    await expect(redis.ping()).rejects.toThrow(/timed out|Reached the max retries|closed/i);
    expect(performance.now() - startedAt).toBeLessThan(4_500);

    await expect.poll(() => redis.status).not.toBe('ready');
    const text = 'x'.repeat(1024 * 1024);
    const before = process.memoryUsage().heapUsed;
    const failures: Promise<unknown>[] = [];
    for (let n = 0; n < 200; n += 1)
      failures.push(redis.set('key', `${n}${text}`).catch((error: unknown) => error));
    const errors = await Promise.all(failures);
    expect(errors.every((error) => error instanceof Error)).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(6_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * 1024 * 1024);

    proxy.recover();
    await expect.poll(() => redis.ping().catch(String)).toBe('PONG');
  });
});

describe('a connection for consumers', () => {
  beforeEach(async () => {
    redis = await connectRedis(proxy.url, { retry: 'always', onError });
    // The clock of the client; its connections do not wait for it.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => void vi.useRealTimers());

  it('sends its commands again, on another connection, when Redis does not answer', async () => {
    proxy.goSilent();
    const answer = redis.ping();
    vi.advanceTimersByTime(15_000);
    vi.useRealTimers();
    await expect.poll(() => redis.status).not.toBe('ready');
    proxy.recover();
    expect(await answer).toBe('PONG');
  });

  it('stays open while it is idle, and while Redis blocks for as long as BullMQ lets it', async () => {
    const id = await redis.client('ID');
    vi.advanceTimersByTime(3_600_000);
    const job = redis.bzpopmin('jobs', 10);
    vi.advanceTimersByTime(11_000);
    vi.useRealTimers();
    await direct.zadd('jobs', 1, 'a job');
    expect(await job).toEqual(['jobs', 'a job', '1']);
    expect(await redis.client('ID')).toBe(id);
  });
});

it('sends the commands of one callback together, and each gets its own answer', async () => {
  const readsOf = async () =>
    Number(/total_reads_processed:(\d+)/.exec(await direct.info('stats'))?.[1]);
  const before = await readsOf();
  const echo = async (n: number) => {
    // As a caller does that has awaited something else before.
    await Promise.resolve();
    return direct.echo(`${n}`);
  };
  const numbers = Array.from({ length: 200 }, (_, n) => n);
  expect(await Promise.all(numbers.map(echo))).toEqual(numbers.map(String));
  // The commands, and INFO.
  expect((await readsOf()) - before).toBe(2);
});

describe('a connection for subscriptions', () => {
  it('is replaced when it becomes silent, also while it connects, and receives later events', async () => {
    redis = await connectRedis(proxy.url, { retry: 'never', onError });
    const channels = createChannels(redis);
    const texts: string[] = [];
    const gaps: (readonly string[])[] = [];
    channels.onGap((missed) => gaps.push(missed));
    await channels.subscribe('news', (text) => texts.push(text));
    await channels.subscribe('more', () => undefined);
    proxy.goSilent();
    await direct.publish('news', 'lost');
    await expect.poll(() => direct.publish('news', 'unheard')).toBe(0);
    await expect.poll(() => proxy.unanswered).toBeGreaterThan(0);
    proxy.recover();
    await expect.poll(() => gaps).toEqual([['news', 'more']]);
    await direct.publish('news', 'found');
    await expect.poll(() => texts).toEqual(['found']);
    channels.close();
  });
});
