import { ensureQueued, type JobProducer } from '../../../jobs/producer.ts';
import type { Log } from '../../../log.ts';
import type { PaymentEvent, PaymentGateway } from '../../../payments/index.ts';
import { sweepEach } from '../../../jobs/sweep-each.ts';
import type { SubscriptionStore } from '../model.ts';
import { AccountGoneError, isUserId, type Refresh } from '../refresh.ts';
import type { PaymentEventStore, StoredEvent } from './event-model.ts';
import { MAX_EVENT_TRIES } from './jobs.ts';

/** An event without a job is found after this time. */
const ENQUEUED_WITHIN_MS = 10_000;
const BATCH = 200;
const MAX_ERROR_LENGTH = 300;
/** Stripe, 'Types of events'. */
const DISPUTE_CLOSED = 'charge.dispute.closed';

interface EventDeps {
  events: PaymentEventStore;
  producer: Pick<JobProducer<{ eventId: string }>, 'add' | 'canRun' | 'remove'>;
  now: () => Date;
  log: Log;
}

export type PaymentEvents = ReturnType<typeof createPaymentEvents>;

/** Keeps the events of the payment provider until they are applied. */
export function createPaymentEvents({ events, producer, now, log }: EventDeps) {
  // While a job with the event's id waits or runs, no second one is created.
  const enqueue = (eventId: string) => producer.add(eventId, { eventId });

  return {
    /**
     * Stores an event and enqueues its job. Resolves when it is stored, also when Redis is unreachable: then the sweep
     * enqueues it.
     */
    receive: async (event: PaymentEvent): Promise<void> => {
      await events.receive(event, now());
      const stored = await events.find(event.id);
      if (stored?.state !== 'received') return;
      await enqueue(event.id).catch((error: unknown) =>
        log.warn({ err: error, eventId: event.id }, 'a payment event is applied later'),
      );
    },

    /** Enqueues the events that have lost their job. */
    sweep: async (): Promise<void> => {
      const receivedBefore = new Date(now().getTime() - ENQUEUED_WITHIN_MS);
      const waiting = await events.list('received', { limit: BATCH, receivedBefore });
      await sweepEach(waiting, ({ id }) => ensureQueued(producer, id, () => enqueue(id)));
    },

    /** Gives a failed event new tries; false when it is not failed. */
    applyAgain: async (eventId: string): Promise<boolean> => {
      if (!(await events.retry(eventId))) return false;
      await enqueue(eventId);
      return true;
    },
  };
}

interface HandlerDeps {
  events: PaymentEventStore;
  subscriptions: Pick<SubscriptionStore, 'ownerOfCustomer'>;
  gateway: Pick<PaymentGateway, 'findCheckout' | 'findSubscription'>;
  refresh: Refresh;
  now: () => Date;
  log: Log;
}

/**
 * Applies a stored event: finds the user and refreshes the subscription from the provider, whatever the event says.
 * Rejects when it should be tried again; after the last try the event is kept as failed.
 */
export function createEventHandler(deps: HandlerDeps) {
  const { events, subscriptions, gateway, refresh, now, log } = deps;

  const ownerOf = async ({ customerId, checkoutId, subscriptionId }: StoredEvent) => {
    const known = customerId && (await subscriptions.ownerOfCustomer(customerId));
    if (known) return { ownerId: known, customerId };
    // The first event of a customer: only what we wrote into checkout and subscription names the user.
    const found =
      (checkoutId && (await gateway.findCheckout(checkoutId))) ||
      (subscriptionId && (await gateway.findSubscription(subscriptionId))) ||
      null;
    return found?.ownerId && isUserId(found.ownerId)
      ? { ownerId: found.ownerId, customerId: found.customerId ?? customerId }
      : null;
  };

  const apply = async (event: StoredEvent): Promise<void> => {
    const owner = await ownerOf(event);
    const about = { eventId: event.id, type: event.type };
    if (!owner) return log.info(about, 'a payment event is of no user');
    try {
      const isDisputeClosed = event.type === DISPUTE_CLOSED;
      await refresh(owner.ownerId, { customerId: owner.customerId, isDisputeClosed });
    } catch (error) {
      if (!(error instanceof AccountGoneError)) throw error;
      log.info(about, 'a payment event is of an account that is gone');
    }
  };

  return async ({ eventId }: { eventId: string }): Promise<void> => {
    const event = await events.find(eventId);
    if (!event || event.state === 'applied') return;
    try {
      await apply(event);
      await events.markApplied(eventId, now());
    } catch (error) {
      const tried = { error: describe(error), maxTries: MAX_EVENT_TRIES, now: now() };
      if ((await events.markTried(eventId, tried)) === 'received') throw error;
      log.error({ err: error, eventId }, 'a payment event could not be applied');
    }
  };
}

const describe = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(
    0,
    MAX_ERROR_LENGTH,
  );
