import { describe, expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import {
  barriers,
  button,
  checkScreen,
  completes,
  lastReply,
  messageOf,
  routeOnly,
  send,
} from './steps.ts';

const WAITS = 'Sends when you are back online.';
const { home, register, url } = await sharedProduct();

describe('home', () => {
  it('is ready to type: Enter starts a conversation with no further click', async () => {
    const { page } = await home();
    await expect.poll(() => page.locator('textarea[data-composer]:focus').count()).toBe(1);
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.type('Straight from home');
    await page.keyboard.press('Enter');
    await messageOf(page, 'Straight from home').waitFor();
    await expect.poll(() => new URL(page.url()).search).toMatch(/^\?c=[0-9a-f]{24}$/);
    await completes(page);
    await page.goBack();
    await page.getByText('Welcome back, User').waitFor();
  });
});

describe('a message sent offline', () => {
  it('waits, survives a reload, and goes out once from two tabs', async () => {
    const { visitor, page } = await home();
    const other = await visitor.open();
    await other.getByText('Start New Conversation').waitFor();
    // The code of notices is loaded soon after the page: without it the tab could not say that it is offline.
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('/toast-')),
    );
    await visitor.context.setOffline(true);
    await page
      .getByText('You are offline. What you write is kept in this browser.')
      .first()
      .waitFor();
    await send(page, 'Out of a tunnel');
    await page.getByText(WAITS).waitFor();
    await checkScreen(page, 'offline');
    // The other tab has the message too. Nothing answers, so neither tab can be reloaded yet.
    await other.getByRole('link', { name: 'Out of a tunnel' }).waitFor();
    await routeOnly(page, 'POST', '**/api/conversations', (route) => route.abort());
    await other.close();
    await visitor.context.setOffline(false);
    await page.reload();
    await page.getByText(WAITS).waitFor();
    await page.unroute('**/api/conversations');
    const third = await visitor.open();
    await third.getByRole('link', { name: 'Out of a tunnel' }).waitFor();
    await completes(page);
    await expect.poll(() => messageOf(page, 'Out of a tunnel').count()).toBe(1);
    await expect.poll(() => lastReply(page).count()).toBe(1);
  });
});

it('signing out offline ends the session on the server once it can be reached', async () => {
  const { visitor, page } = await register();
  const { context } = visitor;
  const statusOfSession = async () => (await context.request.get(`${url}/api/auth/user`)).status();
  expect(await statusOfSession()).toBe(200);
  await context.setOffline(true);
  const leaves = page.waitForEvent('requestfailed', (request) => request.isNavigationRequest());
  await button(page, 'Sign Out').click();
  await leaves;
  await context.setOffline(false);
  await page.goto(`${url}/login`);
  await expect.poll(statusOfSession).toBe(401);
});
