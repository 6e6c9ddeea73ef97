import { createHash, timingSafeEqual } from 'node:crypto';
import { type RequestHandler, type Response, Router } from 'express';
import { notFound } from '../../../errors.ts';
import { byAddress, type RateLimit, styleNonceOf } from '../../../http/index.ts';
import { applyEventAgain } from '../events/events.ts';
import type { BillingFeature } from '../feature.ts';
import { renderPayments } from './page.ts';

const SHOWN = 200;
const GUESS_BACK_OFF = { firstSeconds: 1, maxSeconds: 60 };
const PATH = '/operator/payments';

/** The operator's page of payments, behind a password (OPERATOR_TOKEN). Without a password there is no page. */
export function operatorRoutes(
  billing: BillingFeature,
  { password, rateLimit }: { password: string | undefined; rateLimit: RateLimit },
): Router {
  const router = Router();
  if (password === undefined) return router;

  const guesses = { name: 'operator', points: 5, seconds: 3_600, key: byAddress };
  router.use(PATH, rateLimit({ ...guesses, backOff: GUESS_BACK_OFF }), requirePassword(password));

  router.get(PATH, async (req, res) => {
    await show(billing, res, req.query.applied === 'true' ? 'The event is applied now.' : null);
  });
  router.post(`${PATH}/:id/apply`, async (req, res) => {
    if (!(await applyEventAgain(billing, req.params.id))) throw notFound('event');
    // A reload of the page must not post again.
    res.redirect(303, `${PATH}?applied=true`);
  });
  return router;
}

async function show(
  { events, comparisons }: BillingFeature,
  res: Response,
  notice: string | null,
): Promise<void> {
  const [failed, waiting, comparison] = await Promise.all([
    events.list('failed', { limit: SHOWN }),
    events.count('received'),
    comparisons.lastStarted(),
  ]);
  const styleNonce = styleNonceOf(res);
  res.set('Cache-Control', 'no-store').type('html');
  res.send(renderPayments({ failed, waiting, comparison, styleNonce, notice }));
}

/** Basic authentication (RFC 7617) with any user name. */
function requirePassword(expected: string): RequestHandler {
  const expectedDigest = digest(expected);
  return (req, res, next) => {
    const [scheme, encoded = ''] = (req.get('authorization') ?? '').split(' ');
    const given = Buffer.from(encoded, 'base64').toString('utf8');
    const password = given.slice(given.indexOf(':') + 1);
    const isBasic = scheme?.toLowerCase() === 'basic';
    if (isBasic && timingSafeEqual(digest(password), expectedDigest)) return next();
    res.set('WWW-Authenticate', 'Basic realm="STOLAS operator", charset="UTF-8"');
    res.status(401).type('text').send('Enter the password of the operator.');
  };
}

/** Digests have equal lengths, so the comparison takes constant time. */
const digest = (text: string) => createHash('sha256').update(text).digest();
