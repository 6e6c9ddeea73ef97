import * as z from 'zod';
import {
  BADGES,
  CLAIMS,
  DEFAULT_LANDING_BADGES,
  DEFAULT_LANDING_CLAIMS,
  DEFAULT_PLAN_FEATURES,
  GUEST_TOKEN_LIMIT,
  MAX_MODEL_LENGTH,
  NO_ENTRY,
  PLAN_FEATURES,
  SOON,
  UNBUILT_FEATURES,
} from './contract/index.ts';
import { ModelEntry } from './llm/models.ts';
import { LANGUAGE_CODE } from './reading/index.ts';
import { areRedisUrls, REDIS_MODES, redisProblems } from './redis-settings.ts';

const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
/** Without the scheme `localhost:11434/v1` would be a URL whose scheme is `localhost`. */
const httpUrl = z.url({
  protocol: /^https?$/,
  error: 'must be a URL that begins with http:// or https://',
});
/** Names separated by commas; by default none. */
const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').map((name) => name.trim()))
  .transform((names) => names.filter((name) => name !== ''));
const wholeNumber = (fallback: number, min: number, max: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);

/** Each makes recognition slower and takes memory of its process. */
const MAX_OCR_LANGUAGES = 6;
/** The greatest REPLY_QUEUES: jobs may be in queues up to this number, whatever it is now. */
export const MAX_REPLY_QUEUES = 64;

/** Some of `words`, separated by commas, or the word for none of them. */
const listOf = (words: readonly string[]) =>
  z
    .string()
    .regex(
      new RegExp(`^(${NO_ENTRY}|(${words.join('|')})(,(${words.join('|')}))*)$`),
      `must be ${NO_ENTRY}, or some of ${words.join(', ')}, separated by commas`,
    );

/** A list of product claims: each word alone or marked as coming; words in `unbuilt` only as coming. */
const claimsOf = (words: readonly string[], unbuilt: readonly string[] = []) =>
  listOf([
    ...words.filter((word) => !unbuilt.includes(word)),
    ...words.map((word) => `${word}${SOON}`),
  ]);

/**
 * Every setting of the product, as an environment variable. `.env.example` lists the same names; a test keeps them equal. `npm start`
 * supplies settings without a default; otherwise they must be set.
 */
export const ConfigSchema = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'),

  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(3000, 0, 65_535),
  /** The URL that users open; by default the address that the server listens on. */
  PUBLIC_URL: httpUrl.optional(),
  /** The number of proxies in front that set X-Forwarded-For; 0 when clients connect directly. */
  TRUST_PROXY: wholeNumber(0, 0, 10),
  /** The folder of `npm start` for database, files and logs. */
  DATA_DIR: z.string().default('./data'),
  /** A folder that outlives deploys: it keeps the frontend's files of the last builds, for tabs that are open. Shared by all web processes. */
  ASSETS_DIR: z.string().optional(),

  MONGODB_URI: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//, 'must begin with mongodb:// or mongodb+srv://'),
  /** One server, or several separated by commas: the nodes of a Cluster, or Sentinels. `rediss://` encrypts. */
  REDIS_URL: z
    .string()
    .refine(
      areRedisUrls,
      'must be URLs that begin with redis:// or rediss://, with commas between',
    ),
  REDIS_MODE: z.enum(REDIS_MODES).default('single'),
  /** The name under which the Sentinels know the primary, and their password if they have one. */
  REDIS_SENTINEL_NAME: z.string().optional(),
  REDIS_SENTINEL_PASSWORD: z.string().optional(),
  S3_ENDPOINT: httpUrl,
  S3_REGION: z.string().default('us-east-1'),
  S3_BUCKET: z.string().min(3).default('stolas'),
  S3_ACCESS_KEY_ID: z.string().min(1),
  S3_SECRET_ACCESS_KEY: z.string().min(1),
  /** The URL by which browsers reach the object store; by default S3_ENDPOINT. */
  S3_PUBLIC_ENDPOINT: httpUrl.optional(),
  /** The store's service for temporary credentials (STS); without it browsers get none. */
  S3_STS_ENDPOINT: httpUrl.optional(),
  /** The role of these credentials. Stores other than AWS may ignore it. */
  S3_STS_ROLE_ARN: z.string().min(20).default('arn:aws:iam::000000000000:role/stolas-upload'),

  OPENAI_BASE_URL: httpUrl.default('https://api.openai.com/v1'),
  OPENAI_API_KEY: z.string().min(1),
  OPENAI_MODEL: z.string().default('gpt-4o-mini'),
  /** Models of the same API for personas besides OPENAI_MODEL, separated by commas. */
  PERSONA_MODELS: list.pipe(z.array(z.string().max(MAX_MODEL_LENGTH)).max(20)),
  /** The parameters of models with unknown names: a JSON list of entries, see llm/models.ts. */
  MODEL_REGISTRY: z
    .string()
    .default('[]')
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'must be JSON' });
        return z.NEVER;
      }
    })
    .pipe(z.array(ModelEntry)),
  /** Whether the model sees images. */
  OPENAI_VISION: flag.default(false),
  /** The model for finding passages of files by meaning; without it they are found by their words. */
  EMBEDDING_MODEL: z.string().optional(),
  /** Its URL, when other than OPENAI_BASE_URL: any OpenAI-compatible API, and its key if it needs one. */
  EMBEDDING_BASE_URL: httpUrl.optional(),
  EMBEDDING_API_KEY: z.string().default('none'),
  /** Prompt budget in tokens: the last messages of a conversation that fit are sent. */
  CONTEXT_TOKENS: wholeNumber(16_000, 500, 2_000_000),
  /** As CONTEXT_TOKENS for guests, when it is less. */
  GUEST_CONTEXT_TOKENS: wholeNumber(4_000, 500, 2_000_000),
  /** Maximum length of a reply in tokens, its reasoning included. */
  MAX_REPLY_TOKENS: wholeNumber(4_096, 16, 200_000),
  /** As MAX_REPLY_TOKENS for the depth Fast; by default half of it. */
  MAX_REPLY_TOKENS_FAST: z.coerce.number().int().min(16).max(200_000).optional(),
  /** As MAX_REPLY_TOKENS for the depth Deep; by default twice as much. */
  MAX_REPLY_TOKENS_DEEP: z.coerce.number().int().min(16).max(200_000).optional(),
  /** Seconds without a token after which the provider counts as hung. */
  PROVIDER_IDLE_SECONDS: wholeNumber(60, 1, 600),

  /** Mail server; without it, mails are written into DATA_DIR/mail. */
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'must begin with smtp:// or smtps://')
    .optional(),
  MAIL_FROM: z.string().default('STOLAS <stolas@localhost>'),

  /** Sign-in with Google; with the secret also by redirect. Register <PUBLIC_URL>/api/auth/google/callback. */
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_CLIENT_SECRET: z.string().optional(),
  GOOGLE_ISSUER: httpUrl.default('https://accounts.google.com'),
  /** Sign-in with Replit. Register <PUBLIC_URL>/api/login/callback. */
  REPLIT_CLIENT_ID: z.string().optional(),
  REPLIT_CLIENT_SECRET: z.string().optional(),
  REPLIT_ISSUER: httpUrl.default('https://replit.com/oidc'),

  /** Whether users need a plan. `off` gives every user all entitlements, for private installations. */
  PLANS: z.enum(['on', 'off']).default('on'),
  /** The payment provider. The key of the embedded Stripe of `npm start` switches to test payments on this machine. */
  STRIPE_SECRET_KEY: z.string().min(1),
  /** Signs the events of the payment provider to <PUBLIC_URL>/api/stripe/webhook. */
  STRIPE_WEBHOOK_SECRET: z.string().optional(),
  /** For the embedded payment form. */
  STRIPE_PUBLISHABLE_KEY: z.string().optional(),
  /** Whether users pay on the provider's page or in a form on ours. */
  STRIPE_UI: z.enum(['hosted', 'embedded']).default('hosted'),
  /** The provider's ids of the prices; the amounts there must be those of docs/product.md, 'Plans'. */
  STRIPE_PRICE_STARTER: z.string().default('price_starter_month'),
  STRIPE_PRICE_STARTER_YEARLY: z.string().default('price_starter_year'),
  STRIPE_PRICE_PRO: z.string().default('price_pro_month'),
  STRIPE_PRICE_PRO_YEARLY: z.string().default('price_pro_year'),
  /** The days that a subscriber may chat after an unpaid renewal. */
  PAST_DUE_GRACE_DAYS: wholeNumber(7, 0, 90),
  /** The password of the operator's pages; without it there are none. */
  OPERATOR_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  STRIPE_API_URL: httpUrl.default('https://api.stripe.com'),

  /** The badges on the landing page. */
  LANDING_BADGES: listOf(BADGES).default(DEFAULT_LANDING_BADGES),
  /** The claims on the landing page; those with `:soon` are marked as coming. */
  LANDING_CLAIMS: claimsOf(CLAIMS).default(DEFAULT_LANDING_CLAIMS),
  /** The features of plans that are sold; those with `:soon` are marked as coming. */
  PLAN_FEATURES: claimsOf(PLAN_FEATURES, UNBUILT_FEATURES).default(DEFAULT_PLAN_FEATURES),
  /** Contacts for users' questions; without one, 'Priority support' is not sold. */
  SUPPORT_EMAIL: z.email().optional(),
  SUPPORT_URL: httpUrl.optional(),

  /** Whether /test exists; by default outside production only. */
  TEST_PAGE: flag.optional(),

  /** The jobs that a worker runs: names of queues, or of features for all their queues, separated by commas; by default all. */
  WORKER_JOBS: list,
  /** Replies that one worker process streams at once. */
  WORKER_CONCURRENCY: wholeNumber(1_000, 1, 10_000),
  /** Queues that the conversations are shared among. Each lives on one Redis node. */
  REPLY_QUEUES: wholeNumber(1, 1, MAX_REPLY_QUEUES),
  /** Files that one process reads at once; each takes up to 600 MB of memory. */
  FILE_READERS: wholeNumber(2, 1, 64),
  /** Whether the text of scanned pages and images is recognised, which takes seconds of CPU time per page. */
  OCR: flag.default(true),
  /** The languages of that text, by the codes of Tesseract; each has its data in a package `@tesseract.js-data/<code>`. */
  OCR_LANGUAGES: z
    .string()
    .default('deu,eng')
    .transform((list) => [...new Set(list.split(',').map((code) => code.trim()))])
    .refine(
      (codes) =>
        codes.length <= MAX_OCR_LANGUAGES && codes.every((code) => LANGUAGE_CODE.test(code)),
      `must be 1 to ${MAX_OCR_LANGUAGES} codes of Tesseract separated by commas, such as deu,eng,fra`,
    ),
  /** Seconds that a stopping process waits for its running work: replies, requests. */
  DRAIN_SECONDS: wholeNumber(120, 0, 600),
  /** Seconds that a stopping web process still accepts connections while `ready` answers 503, until proxies have noticed. */
  UNREADY_SECONDS: wholeNumber(5, 0, 120),
  /** Seconds over which a stopping web process closes its sockets, so that the tabs do not all reconnect at once. */
  SOCKET_DRAIN_SECONDS: wholeNumber(30, 0, 600),
  /** Seconds that a web process keeps an idle connection: longer than the proxy does, whose next request would be lost. */
  KEEP_ALIVE_SECONDS: wholeNumber(75, 0, 600),
  /** Guest accounts that one IP address may start per hour. */
  GUESTS_PER_HOUR: wholeNumber(30, 1, 1_000_000),
  /** Prompt and completion tokens that a guest may use. */
  GUEST_TOKENS: wholeNumber(GUEST_TOKEN_LIMIT, 1, 1_000_000_000),
  /** As GUEST_TOKENS for all guests together, per hour. */
  GUEST_TOKENS_PER_HOUR: wholeNumber(10_000_000, 0, 1_000_000_000_000),
  /** The seats of a workspace whose owner has Pro, the owner's own included. */
  SEATS_PRO: wholeNumber(5, 1, 1_000),
  /** The weight of a prompt token that the provider had cached; 1: full. */
  CACHED_TOKENS_SHARE: z.coerce.number().min(0).max(1).default(0.1),
  /** Maximum size of a file in the library of a Pro subscriber, in MB; those of the other plans are fixed. */
  PRO_UPLOAD_MB: wholeNumber(100, 25, 5_000),
  /** Sockets (open tabs) that one IP address may have on all web processes together. */
  SOCKETS_PER_ADDRESS: wholeNumber(1_000, 1, 1_000_000),
  /** Off only for load tests from one IP address; refused in production. */
  RATE_LIMITS: flag.default(true),
});

export type Config = z.infer<typeof ConfigSchema>;

/**
 * The URL of the product, without a slash at the end, for links in mails and for sign-in providers. Never derived from a request, because
 * any client can choose its Host header.
 */
export const publicUrl = ({ PUBLIC_URL, PORT }: Pick<Config, 'PUBLIC_URL' | 'PORT'>): string =>
  (PUBLIC_URL ?? `http://localhost:${PORT}`).replace(/(?<!\/)\/+$/, '');

const LOOPBACK = /^(localhost\.?|127(\.\d+){3}|\[::1\])$/;

/** Whether only this machine reaches the host of a URL. */
export const isLoopback = (url: string): boolean =>
  URL.canParse(url) && LOOPBACK.test(new URL(url).hostname);

/** The available sign-in providers, separated by commas, or the word for none. */
export const signInProviders = (
  config: Pick<Config, 'GOOGLE_CLIENT_ID' | 'REPLIT_CLIENT_ID'>,
): string =>
  [config.GOOGLE_CLIENT_ID && 'google', config.REPLIT_CLIENT_ID && 'replit']
    .filter(Boolean)
    .join(',') || NO_ENTRY;

/** Whether mails stay on this machine, whose pages may then show their links. Never in production. */
export const showsMailedLinks = ({
  NODE_ENV,
  SMTP_URL,
}: Pick<Config, 'NODE_ENV' | 'SMTP_URL'>): boolean =>
  NODE_ENV !== 'production' && SMTP_URL === undefined;

/** The prefix of the embedded Stripe's keys (backend/embedded); Stripe's keys begin otherwise. */
const EMBEDDED_KEY = 'sk_embedded_';

/** Whether payments go to the embedded Stripe: no money moves. */
export const hasTestPayments = ({
  STRIPE_SECRET_KEY,
}: Pick<Config, 'STRIPE_SECRET_KEY'>): boolean => STRIPE_SECRET_KEY.startsWith(EMBEDDED_KEY);

/** The target of 'contact support': a page or a mail address; empty without one. */
export const supportUrl = ({
  SUPPORT_EMAIL,
  SUPPORT_URL,
}: Pick<Config, 'SUPPORT_EMAIL' | 'SUPPORT_URL'>): string =>
  SUPPORT_URL ?? (SUPPORT_EMAIL === undefined ? '' : `mailto:${SUPPORT_EMAIL}`);

/** PLAN_FEATURES without support, when no contact is set. */
export const planFeatures = (
  config: Pick<Config, 'PLAN_FEATURES' | 'SUPPORT_EMAIL' | 'SUPPORT_URL'>,
): string =>
  config.PLAN_FEATURES.split(',')
    .filter((entry) => entry.replace(SOON, '') !== 'support' || supportUrl(config) !== '')
    .join(',') || NO_ENTRY;

/** Maximum prompt of a guest. Without plans guests have the common one. */
export const guestContextTokens = (
  config: Pick<Config, 'PLANS' | 'CONTEXT_TOKENS' | 'GUEST_CONTEXT_TOKENS'>,
): number => (config.PLANS === 'off' ? config.CONTEXT_TOKENS : config.GUEST_CONTEXT_TOKENS);

/** The models that a persona may name; the first one is the default. */
export const modelsOf = ({
  OPENAI_MODEL,
  PERSONA_MODELS,
}: Pick<Config, 'OPENAI_MODEL' | 'PERSONA_MODELS'>): string[] => [
  ...new Set([OPENAI_MODEL, ...PERSONA_MODELS]),
];

/** Thrown for wrong settings; `message` lists all of them, one per line. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Reads the configuration out of `env`. An empty variable counts as not set.
 * @throws ConfigError that names every bad setting at once.
 */
export function parseConfig(env: Record<string, string | undefined>): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  // Without plans no call reaches the payment provider.
  const given = set.PLANS === 'off' ? { STRIPE_SECRET_KEY: 'none', ...set } : set;
  const parsed = ConfigSchema.safeParse(given);
  const problems = [
    ...(parsed.error?.issues ?? []),
    ...redisProblems(given),
    ...environmentProblems(given),
  ];
  if (parsed.success && problems.length === 0) return parsed.data;
  const lines = problems.map(({ path, message }) => {
    const name = path.join('.');
    return given[name] === undefined ? `  ${name} is not set` : `  ${name}: ${message}`;
  });
  throw new ConfigError(
    `The configuration is not complete:\n${lines.join('\n')}\nSee .env.example for what each setting means.`,
  );
}

/**
 * Settings that `npm start` does not need. Links in mails need PUBLIC_URL and SMTP_URL; without the right TRUST_PROXY all users behind a
 * proxy would count as one IP address, so operators must state it, even as 0. Without the payment provider's keys no user could pay.
 */
const NEEDED_IN_PRODUCTION = [
  'PUBLIC_URL',
  'SMTP_URL',
  'TRUST_PROXY',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_PRICE_STARTER',
  'STRIPE_PRICE_STARTER_YEARLY',
  'STRIPE_PRICE_PRO',
  'STRIPE_PRICE_PRO_YEARLY',
];
/** The error for a public installation in development mode, in which every user would have every plan without paying. */
const ENVIRONMENT_IS_OPEN = {
  path: ['PUBLIC_URL'],
  message:
    'names another host than this machine, so NODE_ENV must be set too: to production, or to development for a trial without payments',
};
const HTTPS_IN_PRODUCTION = ['PUBLIC_URL', 'GOOGLE_ISSUER', 'REPLIT_ISSUER'];

function environmentProblems(given: Record<string, string | undefined>) {
  const { NODE_ENV, PUBLIC_URL } = given;
  if (NODE_ENV === undefined && PUBLIC_URL !== undefined && !isLoopback(PUBLIC_URL))
    return [ENVIRONMENT_IS_OPEN];
  if (NODE_ENV !== 'production') return [];
  const needed = [
    ...NEEDED_IN_PRODUCTION.filter((name) => given.PLANS !== 'off' || !name.startsWith('STRIPE_')),
    ...(given.STRIPE_UI === 'embedded' ? ['STRIPE_PUBLISHABLE_KEY'] : []),
  ];
  const missing = needed.filter((name) => given[name] === undefined);
  const insecure = HTTPS_IN_PRODUCTION.filter(
    (name) => given[name] && !/^https:/i.test(given[name]),
  );
  return [
    ...missing.map((name) => ({ path: [name], message: 'must be set' })),
    ...insecure.map((name) => ({
      path: [name],
      message: 'must begin with https:// in production',
    })),
    ...(given.STRIPE_SECRET_KEY?.startsWith(EMBEDDED_KEY)
      ? [{ path: ['STRIPE_SECRET_KEY'], message: 'must be a key of Stripe in production' }]
      : []),
    ...(given.RATE_LIMITS === 'false'
      ? [{ path: ['RATE_LIMITS'], message: 'must not be false in production' }]
      : []),
  ];
}
