import {
  createTaskQueue,
  createTaskSweep,
  durable,
  SWEEP_AFTER_MS,
  type TaskQueue,
} from '../../../jobs/durable.ts';
import type { JobProducer } from '../../../jobs/producer.ts';
import type { Log } from '../../../log.ts';
import type { PaymentEvent, PaymentGateway } from '../../../payments/index.ts';
import type { SubscriptionStore } from '../model.ts';
import { AccountGoneError, isUserId, type Refresh } from '../refresh.ts';
import {
  applied,
  type EventKey,
  failed,
  type PaymentEventStore,
  type StoredEvent,
  tried,
} from './event-model.ts';
import { paymentEventJob } from './jobs.ts';

/** Twelve attempts within about three hours: the provider may be unreachable for a while. */
export const MAX_EVENT_RETRIES = 11;
const FIRST_RETRY_MS = 5_000;
const MAX_LOST = 3;
const MAX_ERROR_LENGTH = 300;
/** Stripe, 'Types of events'. */
const DISPUTE_CLOSED = 'charge.dispute.closed';

interface EventDeps {
  events: PaymentEventStore;
  producer: Pick<JobProducer<EventKey>, 'add' | 'canRun' | 'remove'>;
  now: () => Date;
  log: Log;
}

export type PaymentEvents = ReturnType<typeof createPaymentEvents>;

/** Keeps the events of the payment provider until they are applied. */
export function createPaymentEvents({ events, producer, now, log }: EventDeps) {
  const queue = createTaskQueue(paymentEventJob, { producer, idOf: ({ eventId }) => eventId, log });
  const dueAt = () => new Date(now().getTime() + SWEEP_AFTER_MS);

  return {
    queue,

    /**
     * Stores an event and enqueues its job. Resolves when it is stored, also when Redis is unreachable: then the sweep
     * enqueues it.
     */
    receive: async (event: PaymentEvent): Promise<void> => {
      await events.receive(event, { now: now(), dueAt: dueAt() });
      const stored = await events.find(event.id);
      if (stored?.state === 'received') await queue.enqueue({ eventId: event.id });
    },

    /** Enqueues the events that have lost their job. */
    sweep: createTaskSweep({ tasks: events.tasks, queue, now }),

    /** Gives a failed event new retries; false when it is not failed. */
    applyAgain: async (eventId: string): Promise<boolean> => {
      if (!(await events.retry(eventId, dueAt()))) return false;
      await queue.enqueue({ eventId });
      return true;
    },
  };
}

interface HandlerDeps {
  events: PaymentEventStore;
  queue: TaskQueue<EventKey>;
  subscriptions: Pick<SubscriptionStore, 'ownerOfCustomer'>;
  gateway: Pick<PaymentGateway, 'findCheckout' | 'findSubscription'>;
  refresh: Refresh;
  now: () => Date;
  log: Log;
}

/**
 * Applies a stored event: finds the user and refreshes the subscription from the provider, whatever the event says.
 * After the last retry the event is kept as failed.
 */
export function createEventHandler(deps: HandlerDeps) {
  const { events, queue, subscriptions, gateway, refresh, now, log } = deps;

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

  return durable<EventKey, StoredEvent>({
    tasks: events.tasks,
    queue,
    retries: MAX_EVENT_RETRIES,
    retryMs: (failures) => FIRST_RETRY_MS * 2 ** (failures - 1),
    maxLost: MAX_LOST,
    waiting: (error) => tried(describe(error), now()),
    givenUp: (error) => failed(describe(error), now()),
    run: async ({ doc }) => {
      await apply(doc);
      return { end: applied(now()) };
    },
    now,
    log,
  });
}

const describe = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(
    0,
    MAX_ERROR_LENGTH,
  );
