import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { mailbox, tokenIn } from '../../backend/test/mailbox.ts';
import { ownProduct } from './open-product.ts';
import { choosePlan, notice } from './payment-steps.ts';
import { fillRegistration, PHONE, toRegistration, type Visitor, WIDE } from './product.ts';
import { shot } from './shot.ts';
import { button, checkScreen, chooseItem, send } from './steps.ts';
import { createWorkspace, invite, share, WORKSPACE } from './workspace-steps.ts';

const { url, arrive, subscribe, product } = await ownProduct({ RATE_LIMITS: 'false' });
const mail = mailbox(product.dataDir);

const openWorkspace = async (visitor: Visitor): Promise<Page> => {
  const page = await visitor.open('/workspace');
  await page.getByRole('heading', { name: 'Workspace', exact: true }).waitFor();
  return page;
};

const invitedLink = async (email: string): Promise<string> =>
  `/invitation#token=${tokenIn(await mail.mail(email, 'invited'))}`;

it('an owner on Pro invites by mail, a second user joins, becomes a viewer, and leaves', async () => {
  const { visitor: owner } = await subscribe('Pro');
  const home = await openWorkspace(owner);
  await home.setViewportSize(WIDE.viewport);
  await shot(home, 'workspace-new', { phone: true });
  await home.getByRole('link', { name: 'Workspace' }).first().waitFor();
  await createWorkspace(home, WORKSPACE);
  await home.getByText('1 of 5 seats taken').waitFor();

  const email = await invite(home);
  await home.getByText('2 of 5 seats taken').waitFor();
  await home.getByText(/^Member · open until/).waitFor();
  await checkScreen(home, 'workspace-invited', { phone: true });

  // The link leads a visitor through the registration and back.
  const invited = await arrive({ reducedMotion: 'reduce' });
  const page = await invited.open(await invitedLink(email));
  await page.setViewportSize(WIDE.viewport);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await toRegistration(page);
  await page.getByLabel('First Name').fill('Grace');
  await fillRegistration(page, email);
  await page.getByText('Owls of the night').waitFor();
  expect(new URL(page.url()).hash).toBe('');
  await checkScreen(page, 'invitation', { phone: true });
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
  await checkScreen(page, 'workspace-pays', { phone: true });
  await share(page, 'viewer');
  await home.reload();
  await home.getByText(/^[1-9][\d,]* tokens this month · last used /).waitFor();
  await chooseItem(home, 'Actions for Grace', 'Set token limit');
  await home.getByLabel('Tokens a month').fill('1');
  await checkScreen(home, 'workspace-cap', { phone: true });
  await button(home, 'Save limit').click();
  await page.getByText("Your share of the workspace's tokens is used up until").waitFor();
  await shot(page, 'workspace-cap-used-up', { phone: true });
  await page.goto(`${url}/workspace`);
  await page.getByText('(you)').waitFor();

  await button(home, 'Role of Grace: Member').click();
  await home.getByRole('menuitemradio', { name: 'Viewer' }).click();
  await page.locator('[data-workspace]').getByText('Viewer').first().waitFor();
  await shot(page, 'workspace-viewer', { phone: true });

  const other = await subscribe('Pro');
  const theirs = await openWorkspace(other.visitor);
  expect(await theirs.getByText('Owls of the night').count()).toBe(0);

  await button(page, 'Leave workspace').click();
  const dialog = page.getByRole('dialog', { name: 'Leave “Owls of the night”?' });
  await dialog.getByText('Your access to the workspace').waitFor();
  await dialog.getByText(/^1 conversation that you shared stays in the workspace\./).waitFor();
  await dialog.getByRole('combobox', { name: 'The shared ones go to' }).waitFor();
  await checkScreen(page, 'workspace-leave', { phone: true });
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
  const visitor = await arrive({ reducedMotion: 'reduce' });
  const page = await visitor.register(email, firstName);
  await page.goto(`${url}/verify-email#token=${tokenIn(await mail.mail(email, 'Confirm'))}`);
  await button(page, 'Confirm Email Address').click();
  await page.getByText('Your email address is confirmed.').waitFor();
  await page.goto(`${url}/subscription`);
  return page;
}

const boxesThatScrollSideways = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('*')]
      .filter((it) => it.scrollWidth > it.clientWidth)
      .filter((it) => /auto|scroll/.test(getComputedStyle(it).overflowX))
      .map((it) => it.outerHTML.slice(0, 120)),
  );

it('an admin opens it to a domain, from which a user joins, and becomes the owner', async () => {
  const domain = `${randomUUID()}.example`;
  const home = await arriveConfirmed(`ada@${domain}`, 'Ada');
  await choosePlan(home, 'Pro');
  await home.goto(`${url}/workspace`);
  // As long as a name may be, without a place to break it.
  const name = `Owls-by-day-${'w'.repeat(48)}`;
  await createWorkspace(home, name);
  const email = await invite(home);

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
  await button(theirs, `Join ${name}`).waitFor();
  await checkScreen(theirs, 'workspace-join', { phone: true });
  await theirs.setViewportSize(PHONE.viewport);
  await expect.poll(() => boxesThatScrollSideways(theirs)).toEqual([]);
  await button(theirs, `Join ${name}`).click();
  await theirs.getByText('(you)').waitFor();
  await button(theirs, 'Leave workspace').click();
  await theirs.getByRole('dialog', { name: `Leave “${name}”?` }).waitFor();
  await expect.poll(() => boxesThatScrollSideways(theirs)).toEqual([]);
  await theirs.keyboard.press('Escape');
  await button(home, 'Role of Linus: Member').waitFor();
  await home.getByText('3 of 5 seats taken').waitFor();

  await chooseItem(home, 'Actions for Grace', 'Transfer ownership');
  await button(home, 'Transfer ownership').click();
  await home.getByText('You have offered the ownership to Grace.').waitFor();
  await page.getByText('Ada offers you the ownership of this workspace.').waitFor();
  await checkScreen(page, 'workspace-offer', { phone: true });
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
  const { visitor: owner } = await subscribe('Pro');
  const home = await openWorkspace(owner);
  await createWorkspace(home, 'Hawks');
  const email = await invite(home);
  const link = await invitedLink(email);

  const wrong = await arrive({ reducedMotion: 'reduce' });
  await wrong.register();
  const refused = await wrong.open(link);
  await refused.getByText(`This invitation is for ${email[0]}…@example.com.`).waitFor();
  await checkScreen(refused, 'invitation-refused', { phone: true });

  await button(home, 'Revoke').click();
  await home.getByText('No invitation is open.').waitFor();
  const right = await arrive({ reducedMotion: 'reduce' });
  await right.register(email);
  const late = await right.open(link);
  await late.getByText('This invitation was used or revoked, or it is too old.').waitFor();

  await button(home, 'Delete workspace').click();
  await home.getByRole('dialog').getByText('No other member loses access').waitFor();
  await shot(home, 'workspace-delete', { phone: true });
  await button(home, 'Delete workspace').last().click();
  await home.getByLabel('Name').waitFor();
  await notice(home, 'Create workspace');
});
