import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Actor } from '../../access/index.ts';
import { planById } from '../../contract/plans.ts';
import { AppError } from '../../errors.ts';
import { openBilling, type Rig } from './billing.fixture.ts';
import type { Price } from './catalog.ts';
import {
  cancelSubscription,
  changePlan,
  previewChange,
  readOverview,
  resumeSubscription,
  upgradeToPro,
} from './changes.ts';
import { refreshSubscription } from './refresh.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** Cents are rounded once for each credited time; a cent is 209 tokens at most. */
const ROUNDING = 105;

let rig: Rig;
beforeAll(async () => {
  rig = await openBilling();
});
afterAll(() => rig.close());

/** Tokens per cent of a period, by the name of its invoice line. */
const RATES = new Map<string, number>(
  (['starter', 'pro'] as const).flatMap((plan) => {
    const { name, price, yearlyPrice, limits } = planById(plan);
    const tokens = limits.tokensPerMonth;
    return [
      [`${name} (monthly)`, tokens / (price * 100)] as const,
      [`${name} (yearly)`, (12 * tokens) / (yearlyPrice * 100)] as const,
    ];
  }),
);

/** The tokens that a user's payments allow: for each paid period its tokens, less the credited share. */
async function allowed(subscriptionId: string) {
  const { invoices = [] } = (await rig.simulator.find(subscriptionId)) ?? {};
  let tokens = 0;
  let rate = 0;
  let credits = 0;
  for (const { lines } of invoices)
    for (const { description, amount } of lines) {
      if (amount < 0) credits += 1;
      else rate = RATES.get(description) ?? Number.NaN;
      tokens += amount * rate;
    }
  return { tokens, rounding: credits * ROUNDING + 1 };
}

/** A user who uses all available tokens at once. */
function greedyUser() {
  const actor: Actor = rig.user();
  const used = new Map<string, number>();
  const subscriptions = new Set<string>();
  const history: string[] = [];

  const spend = async () => {
    const { mayChat, period, limits } = await rig.entitlementsOf(actor.userId);
    if (mayChat) used.set(period.id, Math.max(used.get(period.id) ?? 0, limits.tokens));
  };
  const check = async () => {
    await spend();
    const { subscriptionId } = (await refreshSubscription(rig, actor.userId)).subscription;
    if (subscriptionId) subscriptions.add(subscriptionId);
    await spend();
    const [first] = subscriptions;
    if (first === undefined) return;
    const { tokens, rounding } = await allowed(first);
    const sum = [...used.values()].reduce((a, b) => a + b, 0);
    const isPaid = sum <= tokens + rounding;
    expect({ isPaid, sum, tokens, history }).toMatchObject({ isPaid: true });
  };
  return {
    actor,
    used,
    check,
    act: async (name: string, run: () => Promise<unknown>) => {
      history.push(name);
      await run().catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
        history.push(error.code);
      });
      await check();
    },
    wait: async (ms: number) => {
      history.push(`${(ms / DAY_MS).toFixed(3)} days`);
      // Steps are shorter than a usage period, so that none is left unused.
      for (let left = ms; left > 0; left -= 20 * DAY_MS) {
        rig.wait(Math.min(left, 20 * DAY_MS));
        await check();
      }
    },
  };
}

const PRICES: Price[] = (['starter', 'pro'] as const).flatMap((plan) =>
  (['month', 'year'] as const).map((interval) => ({ plan, interval })),
);

it("an upgrade shortly before the end of the period gives no month of Pro's tokens for a day's price", async () => {
  const user = greedyUser();
  await user.act('subscribe', () => rig.subscribe(user.actor));
  for (let month = 0; month < 3; month += 1) {
    const { periodEndsAt } = await readOverview(rig, user.actor);
    await user.wait(Date.parse(periodEndsAt ?? '') - rig.now().getTime() - HOUR_MS);
    await user.act('upgrade', () => upgradeToPro(rig, user.actor));
    await user.act('downgrade', () =>
      changePlan(rig, user.actor, { plan: 'starter', interval: 'month' }),
    );
    await user.wait(32 * DAY_MS);
  }
  expect(user.used.size).toBeGreaterThanOrEqual(3);
});

/** The same numbers for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

it.each(Array.from({ length: 20 }, (_one, n) => n + 1))(
  'no order of changes gives unpaid tokens (seed %i)',
  async (seed) => {
    const random = randomOf(seed);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const user = greedyUser();
    const { actor } = user;
    const { catalog } = rig;
    await user.act('start', () => rig.subscribe(actor, catalog.priceId(pick(PRICES))));
    for (let step = 0; step < 25; step += 1) {
      const price = pick(PRICES);
      const name = `${price.plan} ${price.interval}`;
      const change = async () => {
        const { quote } = await previewChange(rig, actor, price);
        return changePlan(rig, actor, { ...price, quote: quote ?? undefined });
      };
      await pick([
        () => user.act('upgrade', () => upgradeToPro(rig, actor)),
        () => user.act(name, change),
        () => user.act(name, change),
        () => user.act('cancel', () => cancelSubscription(rig, actor)),
        () => user.act('resume', () => resumeSubscription(rig, actor)),
        () => user.act(`start ${name}`, () => rig.subscribe(actor, catalog.priceId(price))),
        () => user.wait(Math.floor(random() * 40 * 86_400) * 1_000),
        () => user.wait(Math.floor(random() * 86_400) * 1_000),
        () => user.wait(pick([31, 59, 365]) * DAY_MS - HOUR_MS),
      ])();
    }
    expect(user.used.size).toBeGreaterThan(0);
  },
);
