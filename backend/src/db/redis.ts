import { Cluster, type RedisOptions, Redis as Server } from 'ioredis';
import { type RedisSettings, redisUrls } from '../redis-settings.ts';

/** A client of one server, also behind Sentinels, or of a Redis Cluster. */
export type Redis = Server | Cluster;

export const isCluster = (redis: Redis): redis is Cluster => redis.isCluster;

export type Script<Answer> = (...args: (string | number)[]) => Promise<Answer>;

/** A Lua script that Redis runs as one command of this name. Its keys are the first arguments. */
export function defineScript<Answer>(
  redis: Redis,
  name: string,
  options: { numberOfKeys: number; lua: string },
): Script<Answer> {
  redis.defineCommand(name, options);
  const scripts = redis as object as Record<typeof name, Script<Answer>>;
  return (...args) => (scripts[name] as Script<Answer>)(...args);
}

const reconnect = (times: number) => Math.min(50 * 2 ** Math.min(times, 5), 1_000);

/** How a server answers that has become a replica. A new connection reaches the primary. */
const DEMOTED = /^(READONLY|UNBLOCKED)\b/;
const isDemoted = ({ message }: Error) => DEMOTED.test(message);

/**
 * For users' requests: without Redis they fail within 3 s and never queue up. A connection that does not answer is closed
 * (`socketTimeout`), which fails every command that waits for it; until Redis answers on a new one, commands fail at once. Otherwise each
 * command to a hung Redis would take the whole timeout and stay in memory.
 */
const failFast = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 3_000,
  commandTimeout: 3_000,
  socketTimeout: 2_500,
  retryStrategy: reconnect,
  reconnectOnError: isDemoted,
} satisfies RedisOptions;

/**
 * For consumers (BullMQ workers, subscribers), which wait until Redis answers. A connection that does not answer is replaced
 * (`socketTimeout`), also while it connects: the system itself would notice a lost host only after about 15 min. The time is longer than the
 * 10 s for which BullMQ lets Redis block. 2: the command is sent again on the new connection.
 */
export const retrying = {
  enableOfflineQueue: true,
  maxRetriesPerRequest: null,
  socketTimeout: 15_000,
  retryStrategy: reconnect,
  reconnectOnError: (error) => isDemoted(error) && 2,
} satisfies RedisOptions;

/**
 * A command to a node that has failed is tried again every 100 ms, on the nodes that the Cluster then names: by `failFast` for about as long
 * as a single server may take, by consumers until the Cluster has chosen another primary.
 */
const REDIRECTIONS = { never: 16, always: 10_000 };

interface ClientOptions {
  retry: 'never' | 'always';
  onError: (error: Error) => void;
}

/**
 * Connects to Redis and resolves when it answers. While Redis is unreachable, `retry` 'never' fails commands at once
 * and 'always' keeps them until it is reachable again.
 * @param settings a URL stands for a single server
 * @throws when the servers are of another kind than REDIS_MODE says
 */
export async function connectRedis(
  settings: RedisSettings | string,
  { retry, onError }: ClientOptions,
): Promise<Redis> {
  const redis = createClient(
    typeof settings === 'string' ? { REDIS_URL: settings } : settings,
    retry,
  );
  // Without a listener ioredis prints every failed reconnect; callers log the relevant ones.
  redis.on('error', onError);
  joinWrites(redis);
  try {
    await (isCluster(redis) ? connectCluster(redis) : redis.connect());
    await checkKind(redis);
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  return redis;
}

/**
 * Writes all commands of one callback of the event loop, for example those of many replies, in one system call. Redis then reads and answers
 * them together. Unlike in pipelines of ioredis, no command waits for the answers to earlier ones.
 */
function joinWrites(redis: Redis): void {
  if (isCluster(redis)) redis.on('+node', joinWritesOf);
  else joinWritesOf(redis);
}

const joinWritesOf = (server: Server) =>
  server.on('connect', () => {
    const { stream } = server;
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    stream.write = (...args: unknown[]) => {
      if (stream.writableCorked === 0) {
        stream.cork();
        process.nextTick(() => stream.uncork());
      }
      return write(...args);
    };
  });

/** Says why no node answered, such as that its server is not part of a Cluster. */
async function connectCluster(cluster: Cluster): Promise<void> {
  let reason = '';
  const note = ({ message }: Error, node: string) => {
    reason ||= ` ${node}: ${message}`;
  };
  cluster.on('node error', note);
  await cluster.connect().catch((error: Error) => {
    throw new Error(`No node of REDIS_URL answers as part of a Redis Cluster.${reason}`, {
      cause: error,
    });
  });
  cluster.off('node error', note);
}

function createClient(settings: RedisSettings, retry: ClientOptions['retry']): Redis {
  const { REDIS_MODE = 'single' } = settings;
  const [url = '', ...others] = redisUrls(settings);
  const behaviour = retry === 'never' ? failFast : retrying;
  const options = { ...behaviour, lazyConnect: true };
  if (REDIS_MODE === 'single') return new Server(url, options);
  const nodes = [url, ...others].map(addressOf);
  if (REDIS_MODE === 'cluster') return createCluster(nodes, { url, retry, options: behaviour });
  const { REDIS_SENTINEL_NAME: name, REDIS_SENTINEL_PASSWORD: sentinelPassword } = settings;
  return new Server({
    ...options,
    ...credentialsOf(url),
    db: Number(new URL(url).pathname.slice(1)),
    sentinels: nodes,
    ...(name !== undefined && { name }),
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    ...(isEncrypted(url) && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
    sentinelRetryStrategy: reconnect,
    // A Sentinel that accepts connections and is silent.
    sentinelCommandTimeout: 1_000,
  });
}

interface ClusterUse {
  url: string;
  retry: ClientOptions['retry'];
  options: typeof failFast | typeof retrying;
}

function createCluster(nodes: Address[], { url, retry, options }: ClusterUse): Cluster {
  const { retryStrategy: _, enableOfflineQueue, ...nodeOptions } = options;
  const cluster = new Cluster(nodes, {
    lazyConnect: true,
    enableOfflineQueue,
    clusterRetryStrategy: reconnect,
    // ioredis never settles a `connect` whose check finds a Cluster that is choosing another primary. BullMQ waits for it, and its worker would
    // take no further job. Without the check, commands are tried again until the Cluster serves them.
    enableReadyCheck: retry === 'never',
    maxRedirections: REDIRECTIONS[retry],
    // Certificates name hosts, so hosts are not replaced by their addresses.
    dnsLookup: (host, found) => found(null, host),
    redisOptions: { ...nodeOptions, ...credentialsOf(url) },
  });
  return endingSurely(cluster);
}

/** When a Cluster has not ended by then, its nodes are disconnected once more. */
const END_AGAIN_MS = 1_000;

/**
 * A Cluster, and its duplicates, that end after `disconnect`. In ioredis 6.0 an answer MOVED that arrives meanwhile adds a node, for whose end
 * the Cluster then waits for ever, and with it the worker of BullMQ that replaces its blocking connection: it would take no further job.
 */
function endingSurely(cluster: Cluster): Cluster {
  cluster.on('disconnecting', () => {
    setTimeout(() => {
      // `true` keeps what the first call has decided: whether the Cluster connects again.
      if (cluster.status === 'disconnecting') cluster.disconnect(true);
    }, END_AGAIN_MS).unref();
  });
  const duplicate = cluster.duplicate.bind(cluster);
  return Object.assign(cluster, {
    duplicate: (...args: Parameters<typeof duplicate>) => endingSurely(duplicate(...args)),
  });
}

type Address = { host: string; port: number };

const addressOf = (url: string): Address => {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) };
};

const isEncrypted = (url: string) => new URL(url).protocol === 'rediss:';

function credentialsOf(url: string): Pick<RedisOptions, 'username' | 'password' | 'tls'> {
  const { username, password } = new URL(url);
  return {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(isEncrypted(url) && { tls: {} }),
  };
}

const KIND = /^(?:redis|server)_mode:(\w+)/m;

/** A single client on a node of a Cluster would fail on most keys, and on a Sentinel with every command. */
async function checkKind(redis: Redis): Promise<void> {
  if (isCluster(redis)) return;
  // Some services forbid INFO.
  const info = await redis.info('server').catch(() => '');
  const kind = KIND.exec(info)?.[1] ?? 'standalone';
  if (kind !== 'standalone')
    throw new Error(`REDIS_URL names a ${kind}, so REDIS_MODE must be ${kind}.`);
}
