import type { Plan } from '@stolas/backend/contract';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ownProduct } from './open-product.ts';
import { atProvider, notice } from './payment-steps.ts';
import { ask, button, composer, messageOf } from './steps.ts';

// Changes of a paid subscription. The grace is zero days: a failed renewal stops the plan at once.
const place = await ownProduct({
  PAST_DUE_GRACE_DAYS: '0',
  SUPPORT_EMAIL: 'help@example.org',
  PLAN_FEATURES: 'support,cards,api:soon',
});

/** The chat, in two tabs of a new subscriber. */
async function subscribeInTwoTabs() {
  const { visitor, page } = await place.subscribe('Pro');
  const second = await visitor.open();
  await second.getByText('Start New Conversation').waitFor();
  return { visitor, tabs: [page, second] };
}
const seesPlans = async (tabs: Page[]) => {
  for (const tab of tabs) await tab.getByText('Choose Your Plan').waitFor();
};

it('a payment whose page never comes back from the provider activates the plan by the event alone', async () => {
  const { visitor, page } = await place.register();
  const second = await visitor.open('/subscription');
  await button(second, 'Choose Pro').waitFor();
  await button(page, 'Choose Pro').click();
  await button(page, 'Pay').waitFor();
  // The provider takes the payment, and its redirect does not reach the browser.
  await page.route('**/pay', async (route) => {
    await route.fetch({ maxRedirects: 0 });
    await route.abort();
  });
  await button(page, 'Pay').click();
  await second.getByText('Pro Plan', { exact: true }).waitFor();
  expect(page.url()).toMatch(/^chrome-error:/);
  expect(visitor.errors).toEqual([]);
});

it('a subscriber who opens the plans goes back to the chat', async () => {
  const { visitor } = await place.subscribe('Starter');
  const page = await visitor.open('/subscription');
  await notice(page, 'Already Subscribed');
  await page.getByText('Start New Conversation').waitFor();
  expect(visitor.errors).toEqual([]);
});

it('a renewal that stays unpaid after the grace stops the plan until it is paid, in both tabs', async () => {
  const { visitor, tabs } = await subscribeInTwoTabs();
  await atProvider(visitor, 'Fail renewal');
  await seesPlans(tabs);
  for (const tab of tabs)
    await tab.getByText('Your last payment failed and your plan is paused').waitFor();
  await atProvider(visitor, 'Pay open invoice');
  for (const tab of tabs) await tab.getByText('Pro Plan', { exact: true }).waitFor();
  expect(visitor.errors).toEqual([]);
});

it('a full refund ends the plan, in both tabs', async () => {
  const { visitor, tabs } = await subscribeInTwoTabs();
  await atProvider(visitor, 'Refund');
  await seesPlans(tabs);
  expect(visitor.errors).toEqual([]);
});

it('a user whose plan has ended reads, searches and exports the conversations', async () => {
  const { visitor, page } = await place.subscribe('Starter');
  await ask(page, 'Where do owls sleep?');
  await atProvider(visitor, 'Refund');
  await page.getByText('No active plan. Choose a plan to send messages.').waitFor();
  await page.goto(new URL('/subscription', place.url).href);
  await page.getByRole('link', { name: 'Read your conversations' }).click();
  await messageOf(page, 'Where do owls sleep?').waitFor();
  await page.getByText('No active plan. Choose a plan to send messages.').waitFor();
  expect(await composer(page).count()).toBe(0);
  await page.getByPlaceholder('Search conversations...').fill('sleep');
  await page.getByText('Messages', { exact: true }).waitFor();
  const id = new URL(page.url()).searchParams.get('c');
  const answer = await page.request.get(`${place.url}/api/conversations/${id}/export?format=md`);
  expect([answer.status(), await answer.text()]).toEqual([
    200,
    expect.stringContaining('Where do owls sleep?'),
  ]);
  expect(visitor.errors).toEqual([]);
});

it('the plans sell what the operator sells, with the address of support', async () => {
  const visitor = await place.arrive();
  const page = await visitor.open('/subscription');
  const features = (name: string) =>
    page.getByRole('region', { name, exact: true }).getByRole('listitem').allTextContents();
  await page.getByRole('link', { name: 'help@example.org' }).waitFor();
  expect((await features('Starter')).slice(4)).toEqual(['Priority supporthelp@example.org']);
  expect((await features('Pro')).slice(4)).toEqual([
    'Advanced insight cards',
    'API accessComing soon',
  ]);
  const answer = await fetch(new URL('/api/plans', place.url));
  const plans = (await answer.json()) as Plan[];
  expect(plans.map(({ features: sold, soon }) => [sold.slice(4), soon])).toEqual([
    [['Priority support'], []],
    [['Advanced insight cards'], ['API access']],
  ]);
});

it('a dispute stops the plan until it is won, in both tabs', async () => {
  const { visitor, tabs } = await subscribeInTwoTabs();
  await atProvider(visitor, 'Open dispute');
  await seesPlans(tabs);
  await atProvider(visitor, 'Win dispute');
  for (const tab of tabs) await tab.getByText('Pro Plan', { exact: true }).waitFor();
  expect(visitor.errors).toEqual([]);
});
