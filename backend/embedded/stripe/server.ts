import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { Stripe } from 'stripe';
import * as z from 'zod';
import { stripeRoutes } from './api/routes.ts';
import { testPages } from './pages/routes.ts';
import { invalid, RefusedError } from './simulator/errors.ts';
import type { Provider } from './simulator/simulator.ts';

interface ServerOptions extends Provider {
  /** The key of every request. */
  secretKey: string;
}

/**
 * The embedded Stripe: the part of Stripe's API that the product uses (other calls are refused), and pages in place of Stripe's. All
 * requests come from the product, including those of the pages. See docs/decisions/0018-test-gateway.md.
 */
export function createStripe({ secretKey, ...provider }: ServerOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'extended');
  app.use(withKey(secretKey), testPages(provider.simulator));
  app.use('/v1', withVersion, express.urlencoded({ extended: true }));
  const perform = stripeRoutes(provider);
  return app.use(async (req, res) => {
    try {
      res.json(await perform(req));
    } catch (error) {
      refuse(res, error);
    }
  });
}

const TYPES = {
  declined: { status: 402, type: 'card_error', code: 'card_declined' },
  invalid: { status: 400, type: 'invalid_request_error' },
  missing: { status: 404, type: 'invalid_request_error', code: 'resource_missing' },
  key_reused: { status: 400, type: 'idempotency_error' },
};

function refuse(res: Response, error: unknown): void {
  if (error instanceof z.ZodError) return refuse(res, invalid(z.prettifyError(error)));
  if (!(error instanceof RefusedError)) throw error;
  const { status, ...body } = TYPES[error.reason];
  res.status(status).json({ error: { ...body, message: error.message } });
}

const withKey =
  (secretKey: string): RequestHandler =>
  (req, res, next) => {
    if (req.get('authorization') === `Bearer ${secretKey}`) return next();
    const error = { type: 'invalid_request_error', message: 'Invalid API Key provided' };
    res.status(401).json({ error });
  };

/** The product sends the API version of its SDK. */
const withVersion: RequestHandler = (req: Request, res, next) => {
  if (req.get('stripe-version') === Stripe.API_VERSION) next();
  else refuse(res, invalid('Invalid API version'));
};
