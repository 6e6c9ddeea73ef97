import * as z from 'zod';

const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
const wholeNumber = (fallback: number, min: number, max: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);

/**
 * Every setting of the product, as environment variables. `.env.example` lists the same names; a test keeps
 * them equal. What has no default here is filled in by the one-machine run (`npm start`) or must be set.
 */
export const ConfigSchema = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'),

  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(3000, 0, 65_535),
  /** The address people open, for the origin checks; the address that is listened on when left out. */
  PUBLIC_URL: z.url().optional(),
  /** How many proxies in front set X-Forwarded-For. */
  TRUST_PROXY: wholeNumber(0, 0, 10),
  /** Where the one-machine run keeps its database, files and log. */
  DATA_DIR: z.string().default('./data'),

  MONGODB_URI: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//, 'must begin with mongodb:// or mongodb+srv://'),
  REDIS_URL: z.string().regex(/^rediss?:\/\//, 'must begin with redis:// or rediss://'),
  S3_ENDPOINT: z.url(),
  S3_REGION: z.string().default('us-east-1'),
  S3_BUCKET: z.string().min(3).default('stolas'),
  S3_ACCESS_KEY_ID: z.string().min(1),
  S3_SECRET_ACCESS_KEY: z.string().min(1),

  OPENAI_BASE_URL: z.url().default('https://api.openai.com/v1'),
  OPENAI_API_KEY: z.string().min(1),
  OPENAI_MODEL: z.string().default('gpt-4o-mini'),
  /** Prompt budget in tokens: the last messages of a conversation that fit are sent. */
  CONTEXT_TOKENS: wholeNumber(16_000, 500, 2_000_000),
  /** Longest reply in tokens. */
  MAX_REPLY_TOKENS: wholeNumber(4_096, 16, 200_000),
  /** Seconds without a token after which the provider counts as hung. */
  PROVIDER_IDLE_SECONDS: wholeNumber(60, 1, 600),

  /** Replies one worker process streams at once. */
  WORKER_CONCURRENCY: wholeNumber(1_000, 1, 10_000),
  /** Seconds a stopping process gives what it has in hand before it hands over. */
  DRAIN_SECONDS: wholeNumber(10, 0, 600),
  /** Guest accounts one address may start per hour. */
  GUESTS_PER_HOUR: wholeNumber(30, 1, 1_000_000),
  /** Off only for load tests on one address. */
  RATE_LIMITS: flag.default(true),
});

export type Config = z.infer<typeof ConfigSchema>;

/** Thrown when settings are wrong; `message` lists all of them, one line each. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Reads the configuration out of `env`. An empty variable counts as not set.
 * @throws ConfigError that names every bad setting at once.
 */
export function parseConfig(env: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = ConfigSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => {
    const name = issue.path.join('.');
    return given[name] === undefined ? `  ${name} is not set` : `  ${name}: ${issue.message}`;
  });
  throw new ConfigError(
    `The configuration is not complete:\n${lines.join('\n')}\nSee .env.example for what each setting means.`,
  );
}
