import type { Page } from 'playwright-core';
import type { Visitor } from './product.ts';
import { button } from './steps.ts';

/** Exact, because a notification is also read out by a hidden element with its whole text. */
export const notice = (page: Page, title: string) =>
  page.getByText(title, { exact: true }).waitFor();

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
