import { randomBytes } from 'node:crypto';
import express, { type Request, type Response } from 'express';
import { type Received, startReceiver } from '../../embedded/stripe/receiver.fixture.ts';
import { createStripe } from '../../embedded/stripe/server.ts';
import { payCheckout } from '../../embedded/stripe/simulator/checkouts.ts';
import { createDelivery } from '../../embedded/stripe/simulator/delivery.ts';
import { createMemoryStore } from '../../embedded/stripe/simulator/memory-store.fixture.ts';
import { priceSettings, pricesOf } from '../../embedded/stripe/simulator/prices.ts';
import { createSimulator } from '../../embedded/stripe/simulator/simulator.ts';
import type { CustomerStore, Price } from '../../embedded/stripe/simulator/state.ts';
import { TEST_KEY, WEBHOOK_SECRET } from '../../test/stripe.ts';
import { serve } from '../http/serve.fixture.ts';
import type { PaymentGateway } from './port.ts';
import { createStripeGateway } from './stripe/index.ts';

interface Failure {
  /** The method of the request that fails. */
  on: 'GET' | 'POST' | 'DELETE';
  status?: number;
  /** Without status and error the connection is cut; with `hangs` it stays open. */
  hangs?: boolean;
  error?: { type: string; code?: string; message: string };
  /** The request takes effect before it fails: its answer is lost. */
  late?: boolean;
}

interface Seen {
  method: string;
  path: string;
  key: string | undefined;
  body: unknown;
}

interface StripeOptions {
  store?: CustomerStore;
  now?: () => Date;
  prices?: readonly Price[];
  pagesUrl?: string;
}

/** The embedded Stripe in this process: tests can read its requests and make them fail, and it sends no event by itself. */
export async function startStripe({
  store = createMemoryStore(),
  now = () => new Date(),
  prices = pricesOf(priceSettings({})),
  pagesUrl = 'http://localhost:3000',
}: StripeOptions = {}) {
  const makeId = (prefix: string) => `${prefix}_${randomBytes(16).toString('hex')}`;
  const simulator = createSimulator({ store, world: { now, makeId, prices } });
  const delivery = createDelivery({ simulator, secret: WEBHOOK_SECRET });
  const receiver = await startReceiver();
  const { app, fail, seen } = observed(
    // Few subscriptions per answer, so that tests need few to read several pages.
    createStripe({ simulator, secretKey: TEST_KEY, pagesUrl, pageSize: 4 }),
  );
  const { url, stop } = await serve(app);
  const gateway = (options: { secretKey?: string; timeoutMs?: number } = {}): PaymentGateway =>
    createStripeGateway({
      secretKey: TEST_KEY,
      apiUrl: url,
      webhookSecret: WEBHOOK_SECRET,
      now,
      ...options,
    });

  return {
    url,
    simulator,
    delivery,
    gateway,
    fail,
    seen,
    pay: (checkoutId: string) =>
      simulator.update(checkoutId, (draft) => payCheckout(draft, checkoutId)),
    /** The events since the last call, signed, as the webhook would receive them. */
    deliver: async (): Promise<Received[]> => {
      await delivery.deliverDue(receiver.url);
      return receiver.take();
    },
    close: () => {
      receiver.close();
      stop();
    },
  };
}

export type StripeServer = Awaited<ReturnType<typeof startStripe>>;

/** Records the requests of a server and makes some of them fail. */
function observed(stripe: express.Express) {
  const failures: Failure[] = [];
  const seen: Seen[] = [];
  const app = express();
  app.use(express.urlencoded({ extended: true }), (req: Request, res: Response, next) => {
    const { method, path, body } = req;
    seen.push({ method, path, key: req.get('idempotency-key'), body });
    const at = failures.findIndex(({ on }) => on === method);
    const failure = at === -1 ? undefined : failures.splice(at, 1)[0];
    if (!failure) return next();
    if (!failure.late) return failWith(res, failure);
    const end = res.end.bind(res);
    res.end = (() => {
      res.end = end;
      failWith(res, failure);
      return res;
    }) as typeof res.end;
    next();
  });
  app.use(stripe);
  return {
    app,
    /** The failures of the next requests. */
    fail: (...next: Failure[]) => void failures.push(...next),
    /** The requests since the last call. */
    seen: (): Seen[] => seen.splice(0),
  };
}

function failWith(res: Response, { status, error, hangs }: Failure): void {
  if (status !== undefined) res.status(status).json({ error });
  else if (!hangs) res.destroy();
}
