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
import { startCheckout, verifyCheckout } from './checkout.ts';
import { type BillingFeature, createBillingFeature, defineModels } from './feature.ts';
import { bindMembers, entitlementsOf } from './members.ts';

/** In the future, because applied events expire by the database's own clock. */
const START = new Date('2036-03-15T12:00:00Z');

const PUBLIC_URL = 'http://stolas.test';

export const newId = () => randomBytes(12).toString('hex');

/** Billing on a separate database with test payments; the test moves the time and runs the jobs. */
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
  const published: string[] = [];
  const find = async (id: string) => {
    // The database does the same with a text that is no id.
    if (!/^[0-9a-f]{24}$/.test(id)) throw new Error(`${id} is no id.`);
    const subscriptionStatus = accounts.get(id);
    return subscriptionStatus === undefined
      ? null
      : { subscriptionStatus, email: `${id}@example.com` };
  };
  const publishChange = async (id: string) => {
    published.push(id);
  };
  const log = createLog({ level: 'silent', name: 'test' });
  const queued: string[] = [];
  const produce = () => ({
    add: async (eventId: string) => void queued.push(eventId),
    canRun: async () => false,
    remove: async () => undefined,
  });
  const billing = createBillingFeature(
    { models, config, now, log, payments: gateway, produce: produce as never },
    { accounts: { find, publishChange }, workspaces: { publishPlan: async () => undefined } },
  );

  return {
    ...billing,
    ...bindMembers(billing),
    /** Status and plan of a registered user. */
    planOf: async ({ userId }: { userId: string }) => {
      const { subscriptionStatus, subscriptionPlan } = await entitlementsOf(billing, userId, {
        subscriptionStatus: null,
      });
      return { subscriptionStatus, subscriptionPlan };
    },
    /** The ids of events that were enqueued. */
    queued,
    simulator: stripe.simulator,
    connection,
    config,
    accounts,
    /** Users whose tabs got an event, in order. */
    published,
    wait: (ms: number) => {
      time = new Date(time.getTime() + ms);
    },
    /** The same billing with parts of the gateway replaced. */
    withGateway: (parts: Partial<PaymentGateway>): BillingFeature => ({
      ...billing,
      gateway: { ...gateway, ...parts },
    }),

    /** A new registered user. */
    user: (): Actor => {
      const userId = newId();
      accounts.set(userId, null);
      return sessionActor({ userId, sessionId: newId(), isGuest: false });
    },
    /** Starts a checkout as the user and returns its id at the provider. */
    startCheckout: async (actor: Actor, priceId: string): Promise<string> => {
      const result = await startCheckout(billing, actor, priceId);
      return 'url' in result ? checkoutIdOf(result.url) : '';
    },
    pay: stripe.pay,
    /** Pays for a price, verifies the checkout and returns the subscription's id. */
    subscribe: async (actor: Actor, priceId = config.STRIPE_PRICE_STARTER): Promise<string> => {
      const result = await startCheckout(billing, actor, priceId);
      const id = 'url' in result ? checkoutIdOf(result.url) : '';
      await stripe.pay(id);
      await verifyCheckout(billing, actor, id);
      return (await billing.subscriptions.findOf(actor.userId))?.subscriptionId ?? '';
    },
    /** Makes a change at the provider. */
    provider: (name: string, action: Action) => stripe.simulator.update(name, action),
    endPeriod: (subscriptionId: string, card: Card = 'works') =>
      stripe.simulator.update(subscriptionId, (draft) => endPeriodNow(draft, subscriptionId, card)),
    setCard: (name: string, card: Card) =>
      stripe.simulator.update(name, ({ state }) => {
        state.card = card;
      }),
    /** The verified events that the provider has sent since the last call. */
    sentEvents: async () => {
      const sent = await stripe.deliver();
      return Promise.all(
        sent.map(({ rawBody, signature }) => gateway.readEvent(rawBody, signature)),
      );
    },
    running: async (customerId: string) =>
      (await gateway.listSubscriptions(customerId)).filter(({ status }) => status !== 'ended'),
    close: async () => {
      stripe.close();
      await connection.close();
    },
  };
}

export const checkoutIdOf = (url: string): string => url.split('/').at(-1) ?? '';
