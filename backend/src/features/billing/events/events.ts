import { durable, SWEEP_AFTER_MS } from '../../../jobs/durable.ts';
import type { PaymentEvent } from '../../../payments/index.ts';
import type { BillingFeature } from '../feature.ts';
import { AccountGoneError, isUserId, refreshSubscription } from '../refresh.ts';
import { applied, type EventKey, failed, type StoredEvent, tried } from './event-model.ts';

/** Twelve attempts within about three hours: the provider may be unreachable for a while. */
export const MAX_EVENT_RETRIES = 11;
const FIRST_RETRY_MS = 5_000;
const MAX_LOST = 3;
const MAX_ERROR_LENGTH = 300;
/** Stripe, 'Types of events'. */
const DISPUTE_CLOSED = 'charge.dispute.closed';

type Queueing = Pick<BillingFeature, 'events' | 'eventQueue' | 'now'>;

/**
 * Stores an event of the payment provider and enqueues its job. Resolves once it is stored, even when Redis is unreachable; the sweep
 * enqueues it later.
 */
export async function receiveEvent(
  { events, eventQueue, now }: Queueing,
  event: PaymentEvent,
): Promise<void> {
  const at = now();
  await events.receive(event, { now: at, dueAt: dueAfter(at) });
  const stored = await events.find(event.id);
  if (stored?.state === 'received') await eventQueue.enqueue({ eventId: event.id });
}

/** Gives a failed event new retries; false when it is not failed. */
export async function applyEventAgain(
  { events, eventQueue, now }: Queueing,
  eventId: string,
): Promise<boolean> {
  if (!(await events.retry(eventId, dueAfter(now())))) return false;
  await eventQueue.enqueue({ eventId });
  return true;
}

const dueAfter = (now: Date) => new Date(now.getTime() + SWEEP_AFTER_MS);

/** Applies stored events. After the last retry an event is kept as failed. */
export function eventRunner(billing: BillingFeature) {
  const { events, eventQueue, now, log } = billing;
  return durable<EventKey, StoredEvent>({
    tasks: events.tasks,
    queue: eventQueue,
    retries: MAX_EVENT_RETRIES,
    retryMs: (failures) => FIRST_RETRY_MS * 2 ** (failures - 1),
    maxLost: MAX_LOST,
    waiting: (error) => tried(describe(error), now()),
    givenUp: (error) => failed(describe(error), now()),
    run: async ({ doc }) => {
      await applyEvent(billing, doc);
      return { end: applied(now()) };
    },
    now,
    log,
  });
}

/** Finds the user of an event and refreshes the subscription from the provider. The content of the event is not used. */
async function applyEvent(billing: BillingFeature, event: StoredEvent): Promise<void> {
  const { log } = billing;
  const owner = await ownerOf(billing, event);
  const about = { eventId: event.id, type: event.type };
  if (!owner) return log.info(about, 'payment event without a user');
  const { ownerId, customerId } = owner;
  const isDisputeClosed = event.type === DISPUTE_CLOSED;
  try {
    await refreshSubscription(billing, ownerId, { customerId, isDisputeClosed });
  } catch (error) {
    if (!(error instanceof AccountGoneError)) throw error;
    log.info(about, 'payment event of a deleted account');
  }
}

async function ownerOf(
  { subscriptions, gateway }: BillingFeature,
  { customerId, checkoutId, subscriptionId }: StoredEvent,
) {
  const known = customerId && (await subscriptions.ownerOfCustomer(customerId));
  if (known) return { ownerId: known, customerId };
  // The first event of a customer: only our own metadata in checkout and subscription names the user.
  const found =
    (checkoutId && (await gateway.findCheckout(checkoutId))) ||
    (subscriptionId && (await gateway.findSubscription(subscriptionId))) ||
    null;
  return found?.ownerId && isUserId(found.ownerId)
    ? { ownerId: found.ownerId, customerId: found.customerId ?? customerId }
    : null;
}

const describe = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(
    0,
    MAX_ERROR_LENGTH,
  );
