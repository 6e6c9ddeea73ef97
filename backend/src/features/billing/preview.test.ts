import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Actor } from '../../access/index.ts';
import type { AppError } from '../../errors.ts';
import { GatewayError } from '../../payments/index.ts';
import { openBilling, type Rig } from './billing.fixture.ts';
import type { Price } from './catalog.ts';
import {
  cancelSubscription,
  changePlan,
  listInvoices,
  previewChange,
  readOverview,
  upgradeToPro,
} from './changes.ts';
import { refreshSubscription } from './refresh.ts';

const DAY_MS = 24 * 60 * 60_000;
const PRICES: Price[] = (['starter', 'pro'] as const).flatMap((plan) =>
  (['month', 'year'] as const).map((interval) => ({ plan, interval })),
);
const PRO_MONTHLY = { plan: 'pro', interval: 'month' } as const;

let rig: Rig;
beforeAll(async () => {
  rig = await openBilling();
});
afterAll(() => rig.close());

const refused = (code: AppError['code']) => expect.objectContaining({ code }) as Error;
const amounts = async (actor: Actor) =>
  (await listInvoices(rig, actor)).map(({ amount }) => amount);
const tokens = async (actor: Actor) => (await rig.entitlementsOf(actor.userId)).limits.tokens;
const subscribed = async (from: Price): Promise<{ actor: Actor; id: string }> => {
  const actor = rig.user();
  return { actor, id: await rig.subscribe(actor, rig.catalog.priceId(from)) };
};

/** Changes that may already be planned for the end of the paid period. */
const WAITING: Record<string, (actor: Actor, from: Price) => Promise<unknown>> = {
  nothing: async () => undefined,
  cancellation: (actor) => cancelSubscription(rig, actor),
  'a change': (actor, { plan }) =>
    plan === 'pro'
      ? changePlan(rig, actor, { plan: 'starter', interval: 'month' })
      : Promise.resolve(),
};

/** The sidebar's upgrade has no interval: it keeps the paid one. */
const isInSidebar = (from: Price, to: Price) =>
  from.plan === 'starter' && to.plan === 'pro' && from.interval === to.interval;

describe('the preview of a change', () => {
  const cases = Object.keys(WAITING).flatMap((waiting) =>
    [0, 1, 13.37, 27.99, 100.5, 364.9].map((days) => ({ waiting, days })),
  );

  it.each(cases)(
    'is the charged amount, after $days days, while $waiting waits',
    async ({ waiting, days }) => {
      // Only a year has so many days.
      const paid = PRICES.filter(({ interval }) => days < 28 || interval === 'year');
      const all = paid.flatMap((from) => PRICES.map((to) => ({ from, to })));
      const users = await Promise.all(
        all.map(async (pair) => ({ ...pair, ...(await subscribed(pair.from)) })),
      );
      rig.wait(days * DAY_MS);
      const asked = await Promise.all(
        users.map(async (user) => {
          await WAITING[waiting]?.(user.actor, user.from);
          const { actor, from, to } = user;
          const asked = isInSidebar(from, to) ? { plan: to.plan } : to;
          const [preview, before] = [await previewChange(rig, actor, asked), await tokens(actor)];
          return { ...user, preview, before, paid: await amounts(actor) };
        }),
      );
      // The user reads the dialog for ten minutes.
      rig.wait(10 * 60_000);
      for (const { actor, id, from, to, preview, before, paid } of asked) {
        const name = `${from.plan} ${from.interval} to ${to.plan} ${to.interval}`;
        const quote = preview.quote ?? undefined;
        if (isInSidebar(from, to)) await upgradeToPro(rig, actor, quote);
        else await changePlan(rig, actor, { ...to, quote });
        const charged = preview.when === 'now' ? [preview.amount] : [];
        const changed = await amounts(actor);
        // During these minutes the former plan's time was used.
        const lost = before + preview.tokens - (await tokens(actor));
        const { periodEndsAt } = await readOverview(rig, actor);
        const apart = Math.abs(Date.parse(preview.next.at) - Date.parse(periodEndsAt ?? ''));
        await rig.endPeriod(id);
        expect({ name, changed, next: (await amounts(actor))[0] }).toEqual({
          name,
          changed: [...charged, ...paid],
          next: preview.next.amount,
        });
        expect(Math.abs(lost)).toBeLessThan(1_000);
        expect(apart).toBeLessThanOrEqual(10 * 60_000);
        expect(preview.when === 'now' || preview.amount === 0).toBe(true);
      }
    },
  );

  it('keeps the credit beyond the price for later payments', async () => {
    const { actor, id } = await subscribed({ plan: 'starter', interval: 'year' });
    const preview = await previewChange(rig, actor, PRO_MONTHLY);
    expect(preview).toMatchObject({ amount: 0, credit: 27_840 - 17_900 });
    expect(preview.next.amount).toBe(2 * 17_900 - 27_840);
    await changePlan(rig, actor, { ...PRO_MONTHLY, quote: preview.quote ?? undefined });
    const later = await previewChange(rig, actor, { plan: 'starter', interval: 'month' });
    expect(later).toMatchObject({ when: 'periodEnd', next: { amount: 0 } });
    await rig.endPeriod(id);
    expect((await amounts(actor))[0]).toBe(preview.next.amount);
  });

  it('of a user without a subscription is the first payment', async () => {
    const actor = rig.user();
    expect(await previewChange(rig, actor, { plan: 'pro' })).toMatchObject({
      when: 'checkout',
      interval: 'month',
      amount: 17_900,
      tokens: 3_000_000,
      quote: null,
    });
    const asGuest = previewChange(rig, { ...actor, isGuest: true }, { plan: 'pro' });
    await expect(asGuest).rejects.toEqual(refused('forbidden'));
  });

  it('is refused while a payment is missing, or when the provider does not answer', async () => {
    const { actor, id } = await subscribed({ plan: 'starter', interval: 'month' });
    const other = rig.withGateway({
      previewChange: () => Promise.reject(new GatewayError('unavailable', 'down')),
    });
    await expect(previewChange(other, actor, PRO_MONTHLY)).rejects.toMatchObject({
      reason: 'unavailable',
    });
    await rig.endPeriod(id, 'declined');
    await refreshSubscription(rig, actor.userId);
    await expect(previewChange(rig, actor, PRO_MONTHLY)).rejects.toEqual(refused('payment_failed'));
  });
});

describe('an upgrade with a quote', () => {
  const quoted = async () => {
    const user = await subscribed({ plan: 'starter', interval: 'month' });
    rig.wait(DAY_MS);
    const { quote } = await previewChange(rig, user.actor, PRO_MONTHLY);
    if (!quote) throw new Error('no quote');
    return { ...user, quote };
  };

  it('that is too old, of another amount, or of a former period is refused and not charged', async () => {
    const old = await quoted();
    rig.wait(16 * 60_000);
    const other = await quoted();
    const past = await quoted();
    await rig.endPeriod(past.id);
    await refreshSubscription(rig, past.actor.userId);
    const wrong = { ...other.quote, amount: other.quote.amount - 1 };
    for (const [{ actor }, quote] of [
      [old, old.quote],
      [other, wrong],
      [past, past.quote],
    ] as const) {
      const paid = await amounts(actor);
      await expect(upgradeToPro(rig, actor, quote)).rejects.toEqual(refused('price_changed'));
      expect(await amounts(actor)).toEqual(paid);
    }
  });

  it('of a first payment changes no subscription that has begun since', async () => {
    const actor = rig.user();
    const { when, quote } = await previewChange(rig, actor, { plan: 'pro' });
    await rig.subscribe(actor, rig.catalog.priceId({ plan: 'starter', interval: 'year' }));
    const paid = await amounts(actor);
    expect(when).toBe('checkout');
    await expect(upgradeToPro(rig, actor, quote)).rejects.toEqual(refused('price_changed'));
    expect(await amounts(actor)).toEqual(paid);
  });

  it('from two tabs, each with its own preview, is charged once', async () => {
    const { actor, quote } = await quoted();
    rig.wait(2_000);
    const { quote: second } = await previewChange(rig, actor, PRO_MONTHLY);
    await Promise.all([
      upgradeToPro(rig, actor, quote),
      changePlan(rig, actor, { ...PRO_MONTHLY, quote: second ?? undefined }),
    ]);
    expect(await amounts(actor)).toHaveLength(2);
  });

  it('succeeds when the provider refuses the key of a change that another tab has made', async () => {
    const { actor, quote } = await quoted();
    const other = rig.withGateway({
      changePrice: async (change) => {
        await rig.gateway.changePrice(change);
        throw new GatewayError('invalid', 'Keys can only be used with the same parameters.');
      },
    });
    await upgradeToPro(other, actor, quote);
    expect(await rig.planOf(actor)).toMatchObject({ subscriptionPlan: 'pro' });
  });
});
