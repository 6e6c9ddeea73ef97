import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { mailbox, tokenIn } from '../../backend/test/mailbox.ts';
import { ownProduct } from './open-product.ts';
import { button, choosePlan, notice, subscribeAt } from './payment-steps.ts';
import { Visitor } from './product.ts';
import { shot } from './shot.ts';
import { barriers, send } from './steps.ts';

const PASSWORD = 'a long enough password';

const { url, browser, product } = await ownProduct({ RATE_LIMITS: 'false' });
const mail = mailbox(product.dataDir);

const openWorkspace = async (visitor: Visitor): Promise<Page> => {
  const page = await visitor.open('/workspace');
  await page.getByRole('heading', { name: 'Workspace', exact: true }).waitFor();
  return page;
};

const invitedLink = async (email: string): Promise<string> =>
  `/invitation#token=${tokenIn(await mail.mail(email, 'invited'))}`;

it('an owner on Pro invites by mail, a second user joins, becomes a viewer, and leaves', async () => {
  const { visitor: owner } = await subscribeAt({ url, browser }, 'Pro');
  const home = await openWorkspace(owner);
  await home.setViewportSize({ width: 1440, height: 900 });
  await shot(home, 'workspace-new', { phone: true });
  await home.getByRole('link', { name: 'Workspace' }).first().waitFor();
  await home.getByLabel('Name').fill('Owls of the night');
  await button(home, 'Create workspace').click();
  await home.getByText('1 of 5 seats taken').waitFor();

  const email = `${randomUUID()}@example.com`;
  await home.getByLabel('Email address').fill(email);
  await button(home, 'Invite').click();
  await home.getByText('2 of 5 seats taken').waitFor();
  await home.getByText(/^Member · open until/).waitFor();
  expect(await barriers(home)).toEqual([]);
  await shot(home, 'workspace-invited', { phone: true });

  // The link leads a visitor through the registration and back.
  const invited = await Visitor.arrive(browser, url, { reducedMotion: 'reduce' });
  const page = await invited.open(await invitedLink(email));
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: "Don't have an account? Sign up" }).click();
  await page.getByLabel('First Name').fill('Grace');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await button(page, 'Create Account').click();
  await page.getByText('Owls of the night').waitFor();
  expect(new URL(page.url()).hash).toBe('');
  expect(await barriers(page)).toEqual([]);
  await shot(page, 'invitation', { phone: true });
  await button(page, 'Join workspace').click();
  await page.waitForURL('**/workspace');
  await page.getByText('(you)').waitFor();

  // The owner's page receives the event.
  await button(home, 'Role of Grace: Member').waitFor();
  await shot(home, 'workspace-members', { phone: true });

  // Without a plan Grace chats on the workspace's tokens, and the owner sees how many.
  await page.getByRole('button', { name: 'New Chat' }).first().click();
  await page.getByRole('combobox', { name: 'Who pays for this conversation' }).waitFor();
  await shot(page, 'workspace-pays-new', { phone: true });
  await send(page, 'Why do owls turn their heads?');
  await page.getByText('Owls of the night pays').waitFor();
  await page.locator('[data-status=complete]').waitFor();
  expect(await barriers(page)).toEqual([]);
  await shot(page, 'workspace-pays', { phone: true });
  await button(page, 'Share this conversation').click();
  await page
    .getByRole('combobox', { name: 'Access of Everybody in Owls of the night' })
    .selectOption('viewer');
  await button(page, 'Save').click();
  await page
    .getByRole('region', { name: /Notifications/ })
    .getByText('Shared', { exact: true })
    .first()
    .waitFor();
  await home.reload();
  await home.getByText(/^[1-9][\d,]* tokens this month · last used /).waitFor();
  await button(home, 'Actions for Grace').click();
  await home.getByRole('menuitem', { name: 'Set token limit' }).click();
  await home.getByLabel('Tokens a month').fill('1');
  expect(await barriers(home)).toEqual([]);
  await shot(home, 'workspace-cap', { phone: true });
  await button(home, 'Save limit').click();
  await page.getByText("Your share of the workspace's tokens is used up until").waitFor();
  await shot(page, 'workspace-cap-used-up', { phone: true });
  await page.goto(`${url}/workspace`);
  await page.getByText('(you)').waitFor();

  await button(home, 'Role of Grace: Member').click();
  await home.getByRole('menuitemradio', { name: 'Viewer' }).click();
  await page.locator('[data-workspace]').getByText('Viewer').first().waitFor();
  await shot(page, 'workspace-viewer', { phone: true });

  const other = await subscribeAt({ url, browser }, 'Pro');
  const theirs = await openWorkspace(other.visitor);
  expect(await theirs.getByText('Owls of the night').count()).toBe(0);

  await button(page, 'Leave workspace').click();
  const dialog = page.getByRole('dialog', { name: 'Leave “Owls of the night”?' });
  await dialog.getByText('Your access to the workspace').waitFor();
  await dialog.getByText(/^1 conversation that you shared stays in the workspace\./).waitFor();
  await dialog.getByRole('combobox', { name: 'The shared ones go to' }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await shot(page, 'workspace-leave', { phone: true });
  await button(page, 'Leave workspace').last().click();
  await page.getByText('You are in no workspace').waitFor();
  await home.getByText('1 of 5 seats taken').waitFor();
  expect(await button(home, 'Role of Grace: Viewer').count()).toBe(0);
  // What Grace shared is the owner's now, who may share it.
  const talk = { name: /Why do owls turn their heads/ };
  await page.getByRole('link', talk).waitFor({ state: 'detached' });
  await home.getByRole('link', talk).click();
  await button(home, 'Share this conversation').waitFor();
  await home.getByText('Grace').first().waitFor();
});

/** A new user with a confirmed address, on the page of the plans. */
async function arriveConfirmed(email: string, firstName: string): Promise<Page> {
  const visitor = await Visitor.arrive(browser, url, { reducedMotion: 'reduce' });
  const page = await visitor.register(email, PASSWORD, firstName);
  await page.goto(`${url}/verify-email#token=${tokenIn(await mail.mail(email, 'Confirm'))}`);
  await button(page, 'Confirm Email Address').click();
  await page.getByText('Your email address is confirmed.').waitFor();
  await page.goto(`${url}/subscription`);
  return page;
}

it('an admin opens it to a domain, from which a user joins, and becomes the owner', async () => {
  const domain = `${randomUUID()}.example`;
  const home = await arriveConfirmed(`ada@${domain}`, 'Ada');
  await choosePlan(home, 'Pro');
  await home.goto(`${url}/workspace`);
  await home.getByLabel('Name').fill('Owls by day');
  await button(home, 'Create workspace').click();
  const email = `${randomUUID()}@example.com`;
  await home.getByLabel('Email address').fill(email);
  await button(home, 'Invite').click();

  const page = await arriveConfirmed(email, 'Grace');
  await choosePlan(page, 'Pro');
  await page.goto(`${url}${await invitedLink(email)}`);
  await button(page, 'Join workspace').click();
  await page.waitForURL('**/workspace');
  await button(home, 'Role of Grace: Member').click();
  await home.getByRole('menuitemradio', { name: 'Admin' }).click();
  const door = (one: Page) =>
    one.getByRole('checkbox', { name: `Everybody with a verified address at ${domain} may join` });
  await door(page).click();
  await expect.poll(() => door(home).isChecked()).toBe(true);

  const theirs = await arriveConfirmed(`linus@${domain}`, 'Linus');
  await theirs.goto(`${url}/workspace`);
  await button(theirs, 'Join Owls by day').waitFor();
  expect(await barriers(theirs)).toEqual([]);
  await shot(theirs, 'workspace-join', { phone: true });
  await button(theirs, 'Join Owls by day').click();
  await theirs.getByText('(you)').waitFor();
  await button(home, 'Role of Linus: Member').waitFor();
  await home.getByText('3 of 5 seats taken').waitFor();

  await button(home, 'Actions for Grace').click();
  await home.getByRole('menuitem', { name: 'Transfer ownership' }).click();
  await button(home, 'Transfer ownership').click();
  await home.getByText('You have offered the ownership to Grace.').waitFor();
  await page.getByText('Ada offers you the ownership of this workspace.').waitFor();
  expect(await barriers(page)).toEqual([]);
  await shot(page, 'workspace-offer', { phone: true });
  await button(page, 'Become owner').click();
  const asked = page.getByRole('dialog', { name: 'Become the owner?' });
  await asked.getByRole('button', { name: 'Become owner' }).click();

  const member = (one: Page, name: string) =>
    one.locator('[data-member]', { has: one.getByText(name, { exact: true }) });
  for (const one of [home, page, theirs])
    await member(one, 'Grace').getByText('Owner', { exact: true }).waitFor();
  await member(home, 'Ada').getByText('Admin', { exact: true }).waitFor();
  await button(page, 'Role of Ada: Admin').waitFor();
  await button(page, 'Delete workspace').waitFor();
  await button(home, 'Leave workspace').waitFor();
  // The domain was that of the former owner's address.
  await door(home).waitFor({ state: 'detached' });
});

it('a link for another address, and one that was used, say so', async () => {
  const { visitor: owner } = await subscribeAt({ url, browser }, 'Pro');
  const home = await openWorkspace(owner);
  await home.getByLabel('Name').fill('Hawks');
  await button(home, 'Create workspace').click();
  const email = `${randomUUID()}@example.com`;
  await home.getByLabel('Email address').fill(email);
  await button(home, 'Invite').click();
  const link = await invitedLink(email);

  const wrong = await Visitor.arrive(browser, url, { reducedMotion: 'reduce' });
  await wrong.register(`${randomUUID()}@example.com`, PASSWORD);
  const refused = await wrong.open(link);
  await refused.getByText(`This invitation is for ${email[0]}…@example.com.`).waitFor();
  expect(await barriers(refused)).toEqual([]);
  await shot(refused, 'invitation-refused', { phone: true });

  await button(home, 'Revoke').click();
  await home.getByText('No invitation is open.').waitFor();
  const right = await Visitor.arrive(browser, url, { reducedMotion: 'reduce' });
  await right.register(email, PASSWORD);
  const late = await right.open(link);
  await late.getByText('This invitation was used or revoked, or it is too old.').waitFor();

  await button(home, 'Delete workspace').click();
  await home.getByRole('dialog').getByText('No other member loses access').waitFor();
  await shot(home, 'workspace-delete', { phone: true });
  await button(home, 'Delete workspace').last().click();
  await home.getByLabel('Name').waitFor();
  await notice(home, 'Create workspace');
});
