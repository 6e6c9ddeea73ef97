import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { isLoopback } from '../../../config.ts';
import { actorOf, byAddress, type RateLimit } from '../../../http/index.ts';
import { RefusedError } from '../../simulator/errors.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import type { Price } from '../../simulator/state.ts';
import { checkoutActions, checkoutPage, findCheckout } from './checkout.ts';
import { invoicePage } from './invoice.ts';
import { OPERATOR_ACTIONS, operatorPage } from './operator.ts';
import { sendNotFound, sendPage } from './page.ts';
import { PORTAL_ACTIONS, portalOf, portalPage } from './portal.ts';

interface PagesDeps {
  simulator: Simulator;
  prices: readonly Price[];
  now: () => Date;
  rateLimit: RateLimit;
}

const SEE_OTHER = 303;
const ID = /^\w{1,100}$/;

/** The id in the path; an empty one, which nothing has, when it cannot be an id. */
const idOf = ({ params: { id } }: Request): string =>
  typeof id === 'string' && ID.test(id) ? id : '';

/** The test gateway's pages. An id in a path is a capability, as at Stripe, except on the operator's page. */
export function testPages(deps: PagesDeps): Router {
  const limit = deps.rateLimit({ name: 'test-pages', points: 300, seconds: 60, key: byAddress });
  // The forms have no fields.
  const form = express.urlencoded({ extended: false, limit: '1kb' });
  const router = Router();
  const paths = ['/test-checkout', '/test-portal', '/test-invoice', '/test-payments'];
  router.use(paths, limit, onThisMachine, form);
  return router.use(checkoutRoutes(deps), portalRoutes(deps), operatorRoutes(deps));
}

/** What proxies add to a request: `Forwarded`, `Via`, `X-Forwarded-…`, `X-Real-IP` and those of their makers. */
const FORWARDING = /^(?:forwarded|via|x-forwarded-.*|x-real-ip|.*-connecting-ip|.*-client-ip)$/;

/** Test payments are free, so only this machine makes them: by its own name and connection, through no proxy. */
const onThisMachine: RequestHandler = (req, res, next) => {
  const { host = '', ...headers } = req.headers;
  const isForwarded = Object.keys(headers).some((name) => FORWARDING.test(name));
  const address = req.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  const isLocal = isLoopback(`http://${host}`) && isLoopback(`http://${inUrl(address)}`);
  if (isLocal && !isForwarded) next();
  else sendNotFound(res);
};

const inUrl = (address: string): string => (address.includes(':') ? `[${address}]` : address);

function checkoutRoutes({ simulator, prices }: PagesDeps): Router {
  const actions = checkoutActions(simulator);
  const perform =
    (action: (id: string) => Promise<string | null>): RequestHandler =>
    async (req, res) => {
      const id = idOf(req);
      if (!(await findCheckout(simulator, id))) return sendNotFound(res);
      res.redirect(SEE_OTHER, (await action(id)) ?? `/test-checkout/${id}`);
    };
  return Router()
    .get('/test-checkout/:id', async (req, res) => {
      const checkout = await findCheckout(simulator, idOf(req));
      if (!checkout) return sendNotFound(res);
      sendPage(res, { title: 'Test payment', body: checkoutPage(checkout, prices) });
    })
    .post('/test-checkout/:id/pay', perform(actions.pay))
    .post('/test-checkout/:id/decline', perform(actions.decline))
    .post('/test-checkout/:id/cancel', perform(actions.cancel));
}

function portalRoutes({ simulator, prices, now }: PagesDeps): Router {
  const find = async (id: string) => {
    const state = await simulator.find(id);
    const portal = portalOf(state, id, now());
    return state && portal ? { state, portal } : null;
  };
  return Router()
    .get('/test-portal/:id', async (req, res) => {
      const found = await find(idOf(req));
      if (!found) return sendNotFound(res);
      const { id, returnUrl } = found.portal;
      const body = portalPage(found.state, { id, returnUrl, prices });
      sendPage(res, { title: 'Your test subscription', body });
    })
    .post('/test-portal/:id/:action', async (req, res) => {
      const id = idOf(req);
      const action = PORTAL_ACTIONS.get(req.params.action);
      if (!action || !(await find(id))) return sendNotFound(res);
      await simulator.update(id, action);
      res.redirect(SEE_OTHER, `/test-portal/${id}`);
    })
    .get('/test-invoice/:id', async (req, res) => {
      const id = idOf(req);
      const invoice = (await simulator.find(id))?.invoices.find((each) => each.id === id);
      if (!invoice) return sendNotFound(res);
      sendPage(res, { title: `Invoice ${invoice.number}`, body: invoicePage(invoice) });
    });
}

function operatorRoutes({ simulator, prices }: PagesDeps): Router {
  const show = async (
    res: Response,
    { userId, error }: { userId: string; error: string | null },
  ): Promise<void> => {
    const customers = await simulator.store.listOf(userId);
    const body = operatorPage(
      customers.map(({ state }) => state),
      { prices, error },
    );
    const status = error === null ? 200 : 409;
    sendPage(res, { title: 'Test payments', wide: true, status, body });
  };
  return Router()
    .get('/test-payments', async (req, res) => {
      const actor = await actorOf(req);
      if (!actor) return res.redirect(SEE_OTHER, '/login');
      await show(res, { userId: actor.userId, error: null });
    })
    .post('/test-payments/:id/:action', async (req, res) => {
      const actor = await actorOf(req);
      if (!actor) return res.redirect(SEE_OTHER, '/login');
      const id = idOf(req);
      const action = OPERATOR_ACTIONS.get(req.params.action);
      const state = await simulator.find(id);
      if (!action || state?.ownerId !== actor.userId) return sendNotFound(res);
      try {
        await simulator.update(id, action(id));
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        return show(res, { userId: actor.userId, error: error.message });
      }
      res.redirect(SEE_OTHER, '/test-payments');
    });
}
