import { randomBytes } from 'node:crypto';
import { ownDatabase } from '../../../test/processes.ts';
import { type Actor, sessionActor } from '../../access/index.ts';
import { parseConfig } from '../../config.ts';
import { connectMongo, createIndexes } from '../../db/mongo.ts';
import { createLog } from '../../log.ts';
import type { PaymentGateway } from '../../payments/index.ts';
import { startReceiver } from '../../payments/receiver.fixture.ts';
import { payCheckout } from '../../payments/simulator/checkouts.ts';
import { endPeriodNow } from '../../payments/simulator/clock.ts';
import { pricesOf } from '../../payments/simulator/prices.ts';
import type { Action } from '../../payments/simulator/simulator.ts';
import type { Card } from '../../payments/simulator/state.ts';
import { createTestPayments } from '../../payments/test-gateway/index.ts';
import { createCommands, createPayments, defineModels } from './create.ts';
import { createEndOfPayments, createErasure } from './erase.ts';
import { createEventHandler, createPaymentEvents } from './events/events.ts';
import { createGraceSweep } from './grace.ts';
import { createComparison } from './operator/comparison.ts';
import { createBillingService } from './service.ts';

/** In the future: applied events expire by the database's own clock. */
const START = new Date('2036-03-15T12:00:00Z');

export const newId = () => randomBytes(12).toString('hex');

/** Billing on a database and test payments of a test's own; the test moves the time and runs the jobs. */
export type Rig = Awaited<ReturnType<typeof openBilling>>;

export async function openBilling(settings: Record<string, string> = {}) {
  const config = parseConfig({ ...process.env, PUBLIC_URL: 'http://stolas.test', ...settings });
  const connection = await connectMongo(ownDatabase());
  let time = START;
  const now = () => time;
  const makeId = (prefix: string) => `${prefix}_${newId()}`;
  const testPayments = createTestPayments({
    connection,
    prices: pricesOf(config),
    pagesUrl: 'http://stolas.test',
    now,
    makeId,
  });
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
  const build = (gateway: PaymentGateway) => {
    const others = { accounts: { find, tellChanged } };
    const payments = createPayments({ config, now, log, models, others, payments: gateway });
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
  const own = build(testPayments.gateway);
  const receiver = await startReceiver();

  const pay = (checkoutId: string) =>
    testPayments.simulator.update(checkoutId, (draft) => payCheckout(draft, checkoutId));

  return {
    ...own,
    ...createBillingService({ subscriptions: own.subscriptions, findAccount: find, now }),
    gateway: testPayments.gateway,
    simulator: testPayments.simulator,
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
    withGateway: (parts: Partial<PaymentGateway>) => build({ ...testPayments.gateway, ...parts }),

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
    pay,
    /** Pays for a price and has it verified; the subscription's id. */
    subscribe: async (actor: Actor, priceId = config.STRIPE_PRICE_STARTER): Promise<string> => {
      const result = await own.checkouts.start(actor, priceId);
      const id = 'url' in result ? checkoutIdOf(result.url) : '';
      await pay(id);
      await own.checkouts.verify(actor, id);
      return (await own.subscriptions.findOf(actor.userId))?.subscriptionId ?? '';
    },
    /** Has something happen at the provider. */
    provider: (name: string, action: Action) => testPayments.simulator.update(name, action),
    endPeriod: (subscriptionId: string, card: Card = 'works') =>
      testPayments.simulator.update(subscriptionId, (draft) =>
        endPeriodNow(draft, subscriptionId, card),
      ),
    setCard: (name: string, card: Card) =>
      testPayments.simulator.update(name, ({ state }) => {
        state.card = card;
      }),
    /** The events that the provider has sent since the last call, read by their signatures. */
    sentEvents: async () => {
      await testPayments.delivery.deliverDue(receiver.url);
      return Promise.all(
        receiver
          .take()
          .map(({ rawBody, signature }) => testPayments.gateway.readEvent(rawBody, signature)),
      );
    },
    running: async (customerId: string) =>
      (await testPayments.gateway.listSubscriptions(customerId)).filter(
        ({ status }) => status !== 'ended',
      ),
    close: async () => {
      await receiver.close();
      await connection.close();
    },
  };
}

export const checkoutIdOf = (url: string): string => url.split('/').at(-1) ?? '';
