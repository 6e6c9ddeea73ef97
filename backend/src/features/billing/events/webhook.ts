import { Router } from 'express';
import { AppError } from '../../../errors.ts';
import { byAddress, type RateLimit, readBody } from '../../../http/index.ts';
import { SignatureError } from '../../../payments/index.ts';
import { gatewayProblem } from '../errors.ts';
import type { BillingFeature } from '../feature.ts';
import { receiveEvent } from './events.ts';

const BODY_LIMIT = 256 * 1024;

/**
 * The webhook of the payment provider. The signature covers the bytes of the body, so the route reads it unparsed. 200 means that the event
 * is stored; after any other status the provider sends it again.
 */
export function webhookRoutes(billing: BillingFeature, rateLimit: RateLimit): Router {
  return Router().post(
    '/stripe/webhook',
    rateLimit({ name: 'payment-webhook', points: 1_200, seconds: 60, key: byAddress }),
    async (req, res) => {
      const body = await readBody({ req, res }, { limit: BODY_LIMIT });
      const signature = req.get('stripe-signature') ?? '';
      const event = await billing.gateway.readEvent(body, signature).catch((error: unknown) => {
        if (!(error instanceof SignatureError)) throw gatewayProblem(error);
        throw new AppError('bad_signature', 'The signature is not of this event, or is too old.');
      });
      await receiveEvent(billing, event);
      res.json({ received: true });
    },
  );
}
