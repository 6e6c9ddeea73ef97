import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { mailbox, tokenIn } from '../../backend/test/mailbox.ts';
import { ownProduct } from './open-product.ts';
import { button, subscribeAt } from './payment-steps.ts';
import { Visitor } from './product.ts';
import { shot } from './shot.ts';
import { ask, barriers, lastReply, send, statusOf, whileStreaming } from './steps.ts';

const PASSWORD = 'a long enough password';

const { url, browser, product } = await ownProduct({ RATE_LIMITS: 'false' });
const mail = mailbox(product.dataDir);

/** A member of the owner's new workspace, who has a plan of their own. */
async function join(owner: Visitor): Promise<Page> {
  const home = await owner.open('/workspace');
  await home.getByLabel('Name').fill('Owls of the night');
  await button(home, 'Create workspace').click();
  const email = `${randomUUID()}@example.com`;
  await home.getByLabel('Email address').fill(email);
  await button(home, 'Invite').click();
  await home.getByText('2 of 5 seats taken').waitFor();
  await home.close();
  const grace = await Visitor.arrive(browser, url, { reducedMotion: 'reduce' });
  const page = await grace.register(email, PASSWORD);
  await button(page, 'Choose Starter').click();
  await button(page, 'Pay').click();
  await page.getByText('Start New Conversation').waitFor();
  await page.goto(`${url}/invitation#token=${tokenIn(await mail.mail(email, 'invited'))}`);
  await button(page, 'Join workspace').click();
  await page.waitForURL('**/workspace');
  await page.goto(url);
  return page;
}

/** Gives the whole workspace a role by the dialog in the header. */
async function share(page: Page, role: string, said: string): Promise<void> {
  await button(page, 'Share this conversation').click();
  await page
    .getByRole('combobox', { name: 'Access of Everybody in Owls of the night' })
    .selectOption(role);
  await button(page, 'Save').click();
  // The list and the header say it too.
  await page
    .getByRole('region', { name: /Notifications/ })
    .getByText(said, { exact: true })
    .first()
    .waitFor();
}

/** Both see that the other one is there, and one that the other is writing. */
async function seeEachOther(home: Page, page: Page): Promise<void> {
  for (const one of [home, page]) await one.getByRole('img', { name: /^Also here: / }).waitFor();
  await home.locator('[data-composer]').pressSequentially('I wonder');
  await page.getByText(/ is writing$/).waitFor();
  expect(await barriers(page)).toEqual([]);
  await shot(page, 'together', { phone: true });
  await home.locator('[data-composer]').fill('');
  await page.getByText(/ is writing$/).waitFor({ state: 'detached' });
}

/** One stops the reply that the other has asked for. */
async function stopTheOther(home: Page, page: Page): Promise<void> {
  await send(page, '/long 60 10');
  await whileStreaming(home, { atLeast: 100 });
  await home.locator('[data-stop]').click();
  await page.getByText(/^Stopped by /).waitFor();
  await home.getByText('You stopped this reply.').waitFor();
}

/** Edits the own message and waits for its reply. */
async function edit(page: Page, text: string, changed: string): Promise<void> {
  const message = page.locator('[data-role=user]', { hasText: text });
  await message.hover();
  await message.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Edit message').fill(changed);
  await page.keyboard.press('Enter');
  await page.locator('[data-role=user]', { hasText: changed }).waitFor();
  await expect.poll(() => statusOf(page)).toBe('complete');
}

it('an owner shares a conversation with a workspace: a member reads, then writes, on a branch of their own, then has no access', async () => {
  const { visitor: owner, page: home } = await subscribeAt({ url, browser }, 'Pro');
  const page = await join(owner);
  await home.setViewportSize({ width: 1440, height: 900 });
  await page.setViewportSize({ width: 1440, height: 900 });

  await ask(home, 'How do owls hunt at night?');
  await button(home, 'Share this conversation').click();
  await home.getByRole('dialog').getByText('Everybody in Owls of the night').waitFor();
  expect(await barriers(home)).toEqual([]);
  await shot(home, 'share', { phone: true });
  await home.keyboard.press('Escape');
  await share(home, 'viewer', 'Shared');

  // The list of the member receives it, and has no composer for it.
  await page.getByRole('link', { name: /How do owls hunt/ }).click();
  await page.getByText(/shared this conversation with you for reading\./).waitFor();
  await lastReply(page).waitFor();
  expect(await page.locator('[data-composer]').count()).toBe(0);
  expect(await button(page, 'Share this conversation').count()).toBe(0);
  expect(await barriers(page)).toEqual([]);
  await shot(page, 'shared-viewer', { phone: true });

  await share(home, 'editor', 'Shared');
  await page.locator('[data-composer]').waitFor();
  await ask(page, 'And how do bats?');
  const theirs = home.locator('[data-role=user]', { hasText: 'And how do bats?' });
  await theirs.waitFor();
  await theirs.getByText('Ada', { exact: true }).waitFor();
  await shot(home, 'shared-author', { phone: true });
  await seeEachOther(home, page);

  await edit(page, 'And how do bats?', 'And how do hedgehogs?');
  // What the owner sees stays as it is.
  await home.getByText('wrote on another branch').waitFor();
  expect(await theirs.count()).toBe(1);
  expect(await barriers(home)).toEqual([]);
  await shot(home, 'other-branch', { phone: true });
  await home.getByRole('button', { name: 'Show', exact: true }).click();
  await home.locator('[data-role=user]', { hasText: 'And how do hedgehogs?' }).waitFor();

  await home.goto(url);
  await page.locator('[data-composer]').pressSequentially('Well, @a');
  await page.getByRole('listbox', { name: 'People in this conversation' }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  const entry = home.getByRole('link', { name: /How do owls hunt/ });
  await entry.filter({ hasText: /Mentioned you.*New messages/ }).waitFor();
  await shot(home, 'mentioned');
  await entry.click();
  await home.locator('[data-role=user]', { hasText: 'Well, @Ada' }).waitFor();
  await entry.filter({ hasNotText: 'Mentioned you' }).waitFor();
  await expect.poll(() => statusOf(home)).toBe('complete');
  await stopTheOther(home, page);

  await share(home, '', 'Private again');
  await page.getByText('You no longer have access to this conversation.').waitFor();
  expect(await page.getByText('And how do bats?').count()).toBe(0);
  expect(await barriers(page)).toEqual([]);
  await shot(page, 'access-ended', { phone: true });
  await page.getByRole('main').getByRole('button', { name: 'New Chat' }).last().click();
  await page.locator('[data-composer]').waitFor();
});
