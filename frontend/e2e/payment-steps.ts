import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import type { OpenProduct } from './open-product.ts';
import { Visitor } from './product.ts';

interface Arrived {
  visitor: Visitor;
  page: Page;
}

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Exact, because a notification is also read out by a hidden element with its whole text. */
export const notice = (page: Page, title: string) =>
  page.getByText(title, { exact: true }).waitFor();

/** A new user, who is shown the plans. */
export async function registerAt({ browser, url }: OpenProduct): Promise<Arrived> {
  const visitor = await Visitor.arrive(browser, url, { reducedMotion: 'reduce' });
  const page = await visitor.register(`${randomUUID()}@example.com`, 'a long enough password');
  return { visitor, page };
}

/** A user who has paid for a plan and is in the chat. */
export async function subscribeAt(
  product: OpenProduct,
  plan: string,
  interval: 'Monthly' | 'Yearly' = 'Monthly',
): Promise<Arrived> {
  const { visitor, page } = await registerAt(product);
  await page.getByText(interval, { exact: true }).click();
  await choosePlan(page, plan);
  return { visitor, page };
}

/** Pays for a plan, from the page of the plans into the chat. */
export async function choosePlan(page: Page, plan: string): Promise<void> {
  await button(page, `Choose ${plan}`).click();
  await button(page, 'Pay').click();
  await page.getByText('Start New Conversation').waitFor();
}

/** Acts as the payment provider, by the operator's page of the embedded Stripe. */
export async function atProvider(visitor: Visitor, action: string): Promise<void> {
  const page = await visitor.open('/test-payments');
  await button(page, action).first().click();
  await page.waitForLoadState();
  await page.close();
}
