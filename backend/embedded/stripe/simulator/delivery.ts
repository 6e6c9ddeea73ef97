import { setTimeout as sleep } from 'node:timers/promises';
import { Stripe } from 'stripe';
import { secondsOf } from './periods.ts';
import type { Simulator } from './simulator.ts';
import type { Draft, EventState } from './state.ts';

const POLL_MS = 1_000;
const BATCH = 20;
/** Shorter than the first delay, so that a delivery has ended before the next attempt. */
const TIMEOUT_MS = 4_000;
const FIRST_DELAY_MS = 5_000;
const MAX_DELAY_MS = 60 * 60_000;
/** The same time as Stripe's retries. */
const GIVE_UP_MS = 3 * 24 * 60 * 60_000;
/** Events per customer that are kept for 'Send all events again'. */
const EVENTS_KEPT = 200;

/**
 * Delivers the events of the outbox to `webhookUrl`, signed, each at least once and in no defined order. Any number of processes may
 * deliver: taking an event sets the time of its next attempt, at which another process may replace a crashed one.
 * @param secret signs the events
 */
export function createDelivery({ simulator, secret }: { simulator: Simulator; secret: string }) {
  const post = async (webhookUrl: string, event: EventState): Promise<boolean> => {
    const payload = JSON.stringify({
      id: event.id,
      object: 'event',
      api_version: Stripe.API_VERSION,
      type: event.type,
      created: secondsOf(event.createdAt),
      livemode: false,
      data: { object: event.object },
    });
    const header = { payload, secret, timestamp: secondsOf(simulator.now()) };
    const response = await fetch(webhookUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'stripe-signature': Stripe.webhooks.generateTestHeaderString(header),
      },
      body: payload,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok;
  };

  const deliverOf = async (customerId: string, webhookUrl: string): Promise<void> => {
    const taken = await simulator.update(customerId, takeDue);
    const sent = await Promise.all(
      // A server that does not answer gets the event at the next attempt.
      taken.map((event) => post(webhookUrl, event).catch(() => false)),
    );
    const delivered = new Set(taken.filter((_event, n) => sent[n]).map(({ id }) => id));
    if (delivered.size > 0)
      await simulator.update(customerId, (draft) => markDelivered(draft, delivered));
  };

  /** Makes the due changes and deliveries. */
  const deliverDue = async (webhookUrl: string): Promise<void> => {
    for (;;) {
      const due = await simulator.store.listDue(simulator.now(), BATCH);
      await Promise.all(due.map(({ state }) => deliverOf(state.id, webhookUrl)));
      if (due.length < BATCH) return;
    }
  };

  return {
    deliverDue,
    /** Delivers until the returned function is called. */
    start: (options: { webhookUrl: string; onError: (error: unknown) => void }) =>
      repeatDelivery(() => deliverDue(options.webhookUrl), { simulator, onError: options.onError }),
  };
}

/** Calls `deliver` every second, and at once after a change in this process, until the returned function is called. */
function repeatDelivery(
  deliver: () => Promise<void>,
  { simulator, onError }: { simulator: Simulator; onError: (error: unknown) => void },
): () => Promise<void> {
  const stop = new AbortController();
  let wake = new AbortController();
  simulator.onChange(() => wake.abort());
  const run = async () => {
    while (!stop.signal.aborted) {
      wake = new AbortController();
      await deliver().catch(onError);
      const signal = AbortSignal.any([wake.signal, stop.signal]);
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();
  return async () => {
    stop.abort();
    await running;
  };
}

/** The due events; each gets the time of its next attempt. */
function takeDue({ state, realNow }: Draft): EventState[] {
  const taken = state.events.filter(({ nextTryAt }) => nextTryAt && nextTryAt <= realNow);
  for (const event of taken) {
    const delay = Math.min(FIRST_DELAY_MS * 2 ** event.attempts, MAX_DELAY_MS);
    const next = new Date(realNow.getTime() + delay);
    event.attempts += 1;
    event.nextTryAt = next.getTime() - event.createdAt.getTime() > GIVE_UP_MS ? null : next;
  }
  return taken;
}

function markDelivered({ state }: Draft, delivered: Set<string>): void {
  for (const event of state.events) if (delivered.has(event.id)) event.nextTryAt = null;
  const old = state.events.length - EVENTS_KEPT;
  state.events = state.events.filter(({ nextTryAt }, n) => nextTryAt !== null || n >= old);
}

/** Puts all kept events into the outbox again. */
export function sendAgain({ state, realNow }: Draft): void {
  for (const event of state.events) Object.assign(event, { attempts: 0, nextTryAt: realNow });
}
