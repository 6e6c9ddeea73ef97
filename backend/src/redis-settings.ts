/** How REDIS_URL is meant: one server, the nodes of a Redis Cluster, or Sentinels that name the server. */
export const REDIS_MODES = ['single', 'cluster', 'sentinel'] as const;

export interface RedisSettings {
  /** One URL, or several with commas between them. */
  REDIS_URL: string;
  REDIS_MODE?: (typeof REDIS_MODES)[number];
  /** The name under which Sentinels know the primary. */
  REDIS_SENTINEL_NAME?: string | undefined;
  REDIS_SENTINEL_PASSWORD?: string | undefined;
}

const SERVER = /^rediss?:\/\//;

/** The URLs in REDIS_URL. */
export const redisUrls = ({ REDIS_URL }: Pick<RedisSettings, 'REDIS_URL'>): string[] =>
  REDIS_URL.split(',').map((url) => url.trim());

export const areRedisUrls = (list: string): boolean =>
  redisUrls({ REDIS_URL: list }).every((url) => SERVER.test(url) && URL.canParse(url));

/** The parts of a URL that all servers have in common. */
const commonPart = (url: string): string => {
  const { protocol, username, password, pathname, search } = new URL(url);
  return [protocol, username, password, pathname.replace(/^\/$/, ''), search].join(' ');
};

const DATABASE = /^\/[1-9]/;

type Given = Record<string, string | undefined>;
type Problem = { path: string[]; message: string };

/** The settings of Redis that contradict each other, for `parseConfig`. */
export function redisProblems({ REDIS_URL, REDIS_MODE = 'single', ...given }: Given): Problem[] {
  if (REDIS_URL === undefined || !areRedisUrls(REDIS_URL)) return [];
  const urls = redisUrls({ REDIS_URL });
  const problems: Problem[] = [];
  const add = (name: string, message: string) => problems.push({ path: [name], message });
  if (REDIS_MODE === 'single' && urls.length > 1)
    add('REDIS_URL', 'names several servers, so REDIS_MODE must be cluster or sentinel');
  if (new Set(urls.map(commonPart)).size > 1)
    add('REDIS_URL', 'must have the same protocol, user, password and database for all servers');
  if (REDIS_MODE === 'cluster' && urls.some((url) => DATABASE.test(new URL(url).pathname)))
    add('REDIS_URL', 'must not name a database: a Redis Cluster has only one');
  const isSentinel = REDIS_MODE === 'sentinel';
  if (isSentinel && given.REDIS_SENTINEL_NAME === undefined)
    add('REDIS_SENTINEL_NAME', 'must be set');
  for (const name of ['REDIS_SENTINEL_NAME', 'REDIS_SENTINEL_PASSWORD'])
    if (!isSentinel && given[name] !== undefined) add(name, 'is only for REDIS_MODE=sentinel');
  return problems;
}
