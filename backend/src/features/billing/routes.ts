import { type RequestHandler, Router } from 'express';
import {
  ChangePlanBody,
  CheckoutBody,
  PreviewQuery,
  UpgradeBody,
  VerifyBody,
} from '../../contract/billing.ts';
import { byAddress, byUser, handler, openHandler, type RateLimit } from '../../http/index.ts';
import {
  cancelSubscription,
  changePlan,
  listInvoices,
  openPortal,
  previewChange,
  readOverview,
  resumeSubscription,
  upgradeToPro,
} from './changes.ts';
import { startCheckout, verifyCheckout } from './checkout.ts';
import { gatewayProblem } from './errors.ts';
import type { BillingFeature } from './feature.ts';

/** Session and settings determine the payment: bodies name only a price, a plan or a checkout. */
export function billingRoutes(billing: BillingFeature, rateLimit: RateLimit): Router {
  const router = Router();
  const payments = rateLimit({ name: 'billing', points: 30, seconds: 60, key: byUser });
  router.get(
    '/plans',
    rateLimit({ name: 'plans', points: 300, seconds: 60, key: byAddress }),
    openHandler({}, async () => billing.catalog.plans()),
  );
  return router.use(
    checkoutRoutes(billing, payments),
    readRoutes(billing, rateLimit),
    changeRoutes(billing, payments),
  );
}

function checkoutRoutes(billing: BillingFeature, limit: RequestHandler): Router {
  const router = Router();
  router.post(
    '/stripe/checkout',
    limit,
    handler({ body: CheckoutBody }, ({ actor, body }) =>
      answered(startCheckout(billing, actor, body.priceId)),
    ),
  );
  router.post(
    '/subscription/verify',
    limit,
    handler({ body: VerifyBody }, ({ actor, body }) =>
      answered(verifyCheckout(billing, actor, body.sessionId)),
    ),
  );
  router.post(
    '/stripe/upgrade',
    limit,
    handler({ body: UpgradeBody }, ({ actor, body }) =>
      answered(upgradeToPro(billing, actor, body.quote)),
    ),
  );
  return router;
}

function readRoutes(billing: BillingFeature, rateLimit: RateLimit): Router {
  const router = Router();
  const limit = rateLimit({ name: 'billing-reads', points: 60, seconds: 60, key: byUser });
  router.get(
    '/billing',
    limit,
    handler({}, ({ actor }) => readOverview(billing, actor)),
  );
  router.get(
    '/billing/preview',
    limit,
    handler({ query: PreviewQuery }, ({ actor, query }) =>
      answered(previewChange(billing, actor, query)),
    ),
  );
  router.get(
    '/billing/invoices',
    limit,
    handler({}, ({ actor }) => answered(listInvoices(billing, actor))),
  );
  return router;
}

function changeRoutes(billing: BillingFeature, limit: RequestHandler): Router {
  const router = Router();
  router.post(
    '/billing/change',
    limit,
    handler({ body: ChangePlanBody }, ({ actor, body }) =>
      answered(changePlan(billing, actor, body)),
    ),
  );
  router.post(
    '/billing/cancel',
    limit,
    handler({}, ({ actor }) => answered(cancelSubscription(billing, actor))),
  );
  router.post(
    '/billing/resume',
    limit,
    handler({}, ({ actor }) => answered(resumeSubscription(billing, actor))),
  );
  router.post(
    '/billing/portal',
    limit,
    handler({}, ({ actor }) => answered(openPortal(billing, actor))),
  );
  return router;
}

const answered = <T>(result: Promise<T>): Promise<T> =>
  result.catch((error: unknown) => {
    throw gatewayProblem(error);
  });
