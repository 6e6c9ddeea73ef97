import { randomBytes } from 'node:crypto';
import { endPeriodNow } from '../../../embedded/stripe/simulator/clock.ts';
import { pricesOf } from '../../../embedded/stripe/simulator/prices.ts';
import type { Action } from '../../../embedded/stripe/simulator/simulator.ts';
import type { Card } from '../../../embedded/stripe/simulator/state.ts';
import { ownDatabase } from '../../../test/processes.ts';
import { type Actor, sessionActor } from '../../access/index.ts';
import { parseConfig } from '../../config.ts';
import { connectMongo, createIndexes } from '../../db/mongo.ts';
import { createLog } from '../../log.ts';
import type { PaymentGateway } from '../../payments/index.ts';
import { startStripe } from '../../payments/stripe-server.fixture.ts';
import { createCommands, createPayments, defineModels } from './create.ts';
import { createEndOfPayments, createErasure } from './erase.ts';
import { createEventHandler, createPaymentEvents } from './events/events.ts';
import { createGraceSweep } from './grace.ts';
import { createComparison } from './operator/comparison.ts';
import { createBillingService } from './service.ts';

/** In the future: applied events expire by the database's own clock. */
const START = new Date('2036-03-15T12:00:00Z');

const PUBLIC_URL = 'http://stolas.test';

export const newId = () => randomBytes(12).toString('hex');

/** Billing on a database and test payments of a test's own; the test moves the time and runs the jobs. */
export type Rig = Awaited<ReturnType<typeof openBilling>>;

export async function openBilling(settings: Record<string, string> = {}) {
  const config = parseConfig({ ...process.env, PUBLIC_URL, ...settings });
  const connection = await connectMongo(ownDatabase());
  let time = START;
  const now = () => time;
  const stripe = await startStripe({ now, prices: pricesOf(config), pagesUrl: PUBLIC_URL });
  const gateway = stripe.gateway();
  const models = defineModels(connection);
  await createIndexes(connection);

  const accounts = new Map<string, 'guest' | null>();
  const told: string[] = [];
  const find = async (id: string) => {
    // As the database does with a text that is no id.
    if (!/^[0-9a-f]{24}$/.test(id)) throw new Error(`${id} is no id.`);
    const subscriptionStatus = accounts.get(id);
    return subscriptionStatus === undefined
      ? null
      : { subscriptionStatus, email: `${id}@example.com` };
  };
  const tellChanged = async (id: string) => {
    told.push(id);
  };
  const log = createLog({ level: 'silent', name: 'test' });
  const build = (payingBy: PaymentGateway) => {
    const others = { accounts: { find, tellChanged } };
    const payments = createPayments({ config, now, log, models, others, payments: payingBy });
    const queued: string[] = [];
    const producer = {
      add: async (eventId: string) => void queued.push(eventId),
      canRun: async () => false,
      remove: async () => undefined,
    };
    const paymentEvents = createPaymentEvents({ ...payments, producer });
    return {
      ...payments,
      ...createCommands(payments, config),
      queued,
      paymentEvents,
      handle: (eventId: string) =>
        createEventHandler({ ...payments, queue: paymentEvents.queue }).run({ eventId }),
      compare: createComparison(payments),
      sweepGrace: createGraceSweep(payments),
      endPayments: createEndOfPayments(payments),
      erase: createErasure(payments),
    };
  };
  const own = build(gateway);

  return {
    ...own,
    ...createBillingService({ subscriptions: own.subscriptions, findAccount: find, now }),
    gateway,
    simulator: stripe.simulator,
    connection,
    config,
    accounts,
    /** Users whose tabs were told, in order. */
    told,
    log,
    now,
    wait: (ms: number) => {
      time = new Date(time.getTime() + ms);
    },
    /** The same billing with parts of the gateway replaced. */
    withGateway: (parts: Partial<PaymentGateway>) => build({ ...gateway, ...parts }),

    /** A new registered user. */
    user: (): Actor => {
      const userId = newId();
      accounts.set(userId, null);
      return sessionActor({ userId, sessionId: newId(), isGuest: false });
    },
    /** Starts a checkout as the user does; its id at the provider. */
    startCheckout: async (actor: Actor, priceId: string): Promise<string> => {
      const result = await own.checkouts.start(actor, priceId);
      return 'url' in result ? checkoutIdOf(result.url) : '';
    },
    pay: stripe.pay,
    /** Pays for a price and has it verified; the subscription's id. */
    subscribe: async (actor: Actor, priceId = config.STRIPE_PRICE_STARTER): Promise<string> => {
      const result = await own.checkouts.start(actor, priceId);
      const id = 'url' in result ? checkoutIdOf(result.url) : '';
      await stripe.pay(id);
      await own.checkouts.verify(actor, id);
      return (await own.subscriptions.findOf(actor.userId))?.subscriptionId ?? '';
    },
    /** Has something happen at the provider. */
    provider: (name: string, action: Action) => stripe.simulator.update(name, action),
    endPeriod: (subscriptionId: string, card: Card = 'works') =>
      stripe.simulator.update(subscriptionId, (draft) => endPeriodNow(draft, subscriptionId, card)),
    setCard: (name: string, card: Card) =>
      stripe.simulator.update(name, ({ state }) => {
        state.card = card;
      }),
    /** The events that the provider has sent since the last call, read by their signatures. */
    sentEvents: async () => {
      const sent = await stripe.deliver();
      return Promise.all(
        sent.map(({ rawBody, signature }) => gateway.readEvent(rawBody, signature)),
      );
    },
    running: async (customerId: string) =>
      (await gateway.listSubscriptions(customerId)).filter(({ status }) => status !== 'ended'),
    close: async () => {
      await stripe.close();
      await connection.close();
    },
  };
}

export const checkoutIdOf = (url: string): string => url.split('/').at(-1) ?? '';
