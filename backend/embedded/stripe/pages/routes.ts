import { type Request, type RequestHandler, type Response, Router } from 'express';
import { RefusedError } from '../simulator/errors.ts';
import type { Simulator } from '../simulator/simulator.ts';
import { checkoutActions, checkoutPage, findCheckout } from './checkout.ts';
import { invoicePage } from './invoice.ts';
import { OPERATOR_ACTIONS, operatorPage } from './operator.ts';
import { sendNotFound, sendPage } from './page.ts';
import { PORTAL_ACTIONS, portalOf, portalPage } from './portal.ts';

const SEE_OTHER = 303;
const ID = /^\w{1,100}$/;

/** The id in the path; empty, which matches nothing, when it cannot be an id. */
const idOf = ({ params: { id } }: Request): string =>
  typeof id === 'string' && ID.test(id) ? id : '';

/**
 * The pages. An id in a path is a capability, as at Stripe, except on the operator's page, for which the product sends the user of the
 * session. The forms have no fields.
 */
export const testPages = (simulator: Simulator): Router =>
  Router().use(checkoutRoutes(simulator), portalRoutes(simulator), operatorRoutes(simulator));

function checkoutRoutes(simulator: Simulator): Router {
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
      sendPage(res, { title: 'Test payment', body: checkoutPage(checkout, simulator.prices) });
    })
    .post('/test-checkout/:id/pay', perform(actions.pay))
    .post('/test-checkout/:id/decline', perform(actions.decline))
    .post('/test-checkout/:id/cancel', perform(actions.cancel));
}

function portalRoutes(simulator: Simulator): Router {
  const find = async (id: string) => {
    const state = await simulator.find(id);
    const portal = portalOf(state, id, simulator.now());
    return state && portal ? { state, portal } : null;
  };
  return Router()
    .get('/test-portal/:id', async (req, res) => {
      const found = await find(idOf(req));
      if (!found) return sendNotFound(res);
      const { id, returnUrl } = found.portal;
      const body = portalPage(found.state, { id, returnUrl, prices: simulator.prices });
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

/** The user of the session, sent by the product; empty, which matches no user, without one. */
const userOf = (req: Request): string => req.get('stolas-user') ?? '';

function operatorRoutes(simulator: Simulator): Router {
  const show = async (
    res: Response,
    { userId, error }: { userId: string; error: string | null },
  ): Promise<void> => {
    const customers = await simulator.store.listOf(userId);
    const body = operatorPage(
      customers.map(({ state }) => state),
      { prices: simulator.prices, error },
    );
    const status = error === null ? 200 : 409;
    sendPage(res, { title: 'Test payments', wide: true, status, body });
  };
  return Router()
    .get('/test-payments', async (req, res) => {
      await show(res, { userId: userOf(req), error: null });
    })
    .post('/test-payments/:id/:action', async (req, res) => {
      const userId = userOf(req);
      const id = idOf(req);
      const action = OPERATOR_ACTIONS.get(req.params.action);
      const state = await simulator.find(id);
      if (!action || state?.ownerId !== userId) return sendNotFound(res);
      try {
        await simulator.update(id, action(id));
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        return show(res, { userId, error: error.message });
      }
      res.redirect(SEE_OTHER, '/test-payments');
    });
}
