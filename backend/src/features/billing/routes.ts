import { Router } from 'express';
import {
  ChangePlanBody,
  CheckoutBody,
  PreviewQuery,
  UpgradeBody,
  VerifyBody,
} from '../../contract/billing.ts';
import { byAddress, byUser, handler, openHandler, type RateLimit } from '../../http/index.ts';
import type { Catalog } from './catalog.ts';
import type { Changes } from './changes.ts';
import type { Checkouts } from './checkout.ts';
import { gatewayProblem } from './errors.ts';

interface RoutesDeps {
  catalog: Catalog;
  checkouts: Checkouts;
  changes: Changes;
  rateLimit: RateLimit;
}

/** Everything about the payment comes from the session and the settings: bodies name a price, a plan or a checkout. */
export function billingRoutes({ catalog, checkouts, changes, rateLimit }: RoutesDeps): Router {
  const router = Router();
  const reads = rateLimit({ name: 'billing-reads', points: 60, seconds: 60, key: byUser });
  const payments = rateLimit({ name: 'billing', points: 30, seconds: 60, key: byUser });

  router.get(
    '/plans',
    rateLimit({ name: 'plans', points: 300, seconds: 60, key: byAddress }),
    openHandler({}, async () => catalog.plans()),
  );

  router.post(
    '/stripe/checkout',
    payments,
    handler({ body: CheckoutBody }, ({ actor, body }) =>
      answered(checkouts.start(actor, body.priceId)),
    ),
  );
  router.post(
    '/subscription/verify',
    payments,
    handler({ body: VerifyBody }, ({ actor, body }) =>
      answered(checkouts.verify(actor, body.sessionId)),
    ),
  );
  router.post(
    '/stripe/upgrade',
    payments,
    handler({ body: UpgradeBody }, ({ actor, body }) =>
      answered(changes.upgrade(actor, body.quote)),
    ),
  );

  router.get(
    '/billing',
    reads,
    handler({}, ({ actor }) => changes.overview(actor)),
  );
  router.get(
    '/billing/preview',
    reads,
    handler({ query: PreviewQuery }, ({ actor, query }) => answered(changes.preview(actor, query))),
  );
  router.get(
    '/billing/invoices',
    reads,
    handler({}, ({ actor }) => answered(changes.invoices(actor))),
  );
  router.post(
    '/billing/change',
    payments,
    handler({ body: ChangePlanBody }, ({ actor, body: { quote, ...price } }) =>
      answered(changes.change(actor, price, quote)),
    ),
  );
  router.post(
    '/billing/cancel',
    payments,
    handler({}, ({ actor }) => answered(changes.cancel(actor))),
  );
  router.post(
    '/billing/resume',
    payments,
    handler({}, ({ actor }) => answered(changes.resume(actor))),
  );
  router.post(
    '/billing/portal',
    payments,
    handler({}, ({ actor }) => answered(changes.portal(actor))),
  );
  return router;
}

const answered = <T>(result: Promise<T>): Promise<T> =>
  result.catch((error: unknown) => {
    throw gatewayProblem(error);
  });
