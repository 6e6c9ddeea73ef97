import { type RequestHandler, type Response, Router } from 'express';
import { type Config, hasTestPayments } from '../config.ts';
import { unavailable } from '../errors.ts';
import { actorOf, byAddress, isOfThisMachine, type RateLimit } from '../http/index.ts';

type PagesConfig = Pick<Config, 'STRIPE_SECRET_KEY' | 'STRIPE_API_URL'>;

const PATHS = ['/test-checkout', '/test-portal', '/test-invoice', '/test-payments'];
/** A page, or its button. No other path of the embedded Stripe can be reached. */
const PAGE = /^\/test-[a-z]+(\/\w{1,100})?(\/[a-z-]{1,20})?$/;
const METHODS = new Set(['GET', 'HEAD', 'POST']);
/** A path that the embedded Stripe lacks: refused and missing pages have the same answer. */
const NOWHERE = '/test-checkout/nowhere';
const HEADERS = [
  'cache-control',
  'content-security-policy',
  'content-type',
  'location',
  'referrer-policy',
];
const TIMEOUT_MS = 10_000;
const SEE_OTHER = 303;

/**
 * The pages of the embedded Stripe, under the product's URL; none with a real provider. The embedded Stripe answers only to the product's
 * key, so every visitor of a page passes these checks.
 */
export function testPages({
  config,
  rateLimit,
}: {
  config: PagesConfig;
  rateLimit: RateLimit;
}): Router[] {
  if (!hasTestPayments(config)) return [];
  const limit = rateLimit({ name: 'test-pages', points: 300, seconds: 60, key: byAddress });
  return [Router().use(PATHS, limit, forward(config))];
}

function forward(config: PagesConfig): RequestHandler {
  return async (req, res) => {
    const path = `${req.baseUrl}${req.path}`.replace(/\/$/, '');
    // Test payments are free.
    const isPage = isOfThisMachine(req) && METHODS.has(req.method) && PAGE.test(path);
    const isOfUser = isPage && req.baseUrl === '/test-payments';
    const userId = isOfUser ? (await actorOf(req))?.userId : undefined;
    if (isOfUser && userId === undefined) return res.redirect(SEE_OTHER, '/login');
    const answer = await fetch(new URL(isPage ? path : NOWHERE, config.STRIPE_API_URL), {
      method: METHODS.has(req.method) ? req.method : 'POST',
      headers: {
        authorization: `Bearer ${config.STRIPE_SECRET_KEY}`,
        ...(userId !== undefined && { 'stolas-user': userId }),
      },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw unavailable(error);
    });
    await pass(answer, res);
  };
}

async function pass(answer: globalThis.Response, res: Response): Promise<void> {
  for (const name of HEADERS) {
    const value = answer.headers.get(name);
    if (value !== null) res.set(name, value);
  }
  res.status(answer.status).send(await answer.text());
}
