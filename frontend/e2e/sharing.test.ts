import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { mailbox, tokenIn } from '../../backend/test/mailbox.ts';
import de from '../src/i18n/de.json' with { type: 'json' };
import en from '../src/i18n/en.json' with { type: 'json' };
import { gate } from './gate.ts';
import { ownProduct } from './open-product.ts';
import { choosePlan } from './payment-steps.ts';
import { checkDialog, checkPage, memberDialogs, ownerDialogs } from './people-dialogs.ts';
import { PHONE, WIDE } from './product.ts';
import { shot } from './shot.ts';
import {
  ask,
  barriers,
  button,
  checkScreen,
  chooseItem,
  completes,
  get,
  lastReply,
  messageOf,
  routeOnly,
  send,
  textOf,
  whileStreaming,
} from './steps.ts';
import { attach, textFile } from './upload-steps.ts';
import { createWorkspace, invite, share, WORKSPACE } from './workspace-steps.ts';

const { url, arrive, subscribe, product } = await ownProduct(
  { RATE_LIMITS: 'false' },
  { visitorsStay: true },
);
const mail = mailbox(product.dataDir);

/** The tests follow one another. The owner Ada in the chat and on /workspace, and members of her workspace: Grace with a plan of her own, Linus without. */
let ada: Page;
let office: Page;
let grace: Page;
let linus: Page;

it('an owner invites two people, who join', async () => {
  const owner = await subscribe('Pro');
  ada = owner.page;
  office = await owner.visitor.open('/workspace');
  await createWorkspace(office, WORKSPACE);
  grace = await join('Grace', 'Starter');
  linus = await join('Linus');
  for (const page of [ada, office, grace, linus]) await page.setViewportSize(WIDE.viewport);
  await expect.poll(() => office.getByRole('button', { name: /^Actions for/ }).count()).toBe(2);
});

/** A new user who joins the workspace. */
async function join(name: string, plan?: string): Promise<Page> {
  const email = await invite(office);
  const visitor = await arrive({
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await visitor.register(email, name);
  if (plan) await choosePlan(page, plan);
  await page.goto(`${url}/invitation#token=${tokenIn(await mail.mail(email, 'invited'))}`);
  await button(page, 'Join workspace').click();
  await page.waitForURL('**/workspace');
  await page.goto(url);
  return page;
}

/** Both see that the other one is there, and one that the other is writing. */
async function seeEachOther(home: Page, page: Page): Promise<void> {
  for (const one of [home, page]) await one.getByRole('img', { name: /^Also here: / }).waitFor();
  await home.locator('[data-composer]').pressSequentially('I wonder');
  await page.getByText(/ is writing$/).waitFor();
  await checkScreen(page, 'together', { phone: true });
  await home.locator('[data-composer]').fill('');
  await page.getByText(/ is writing$/).waitFor({ state: 'detached' });
}

/** One stops the reply that the other has asked for. */
async function stopTheOther(home: Page, page: Page): Promise<void> {
  await send(page, '/long 60 2');
  await whileStreaming(home, { atLeast: 100 });
  await home.locator('[data-stop]').click();
  await page.getByText(/^Stopped by /).waitFor();
  await home.getByText('You stopped this reply.').waitFor();
}

/** Edits a message and waits for its reply. */
async function edit(page: Page, text: string, changed: string): Promise<void> {
  const message = messageOf(page, text);
  await message.hover();
  await message.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Edit message').fill(changed);
  await page.keyboard.press('Enter');
  await messageOf(page, changed).waitFor();
  await completes(page);
}

it('an owner shares a conversation with a workspace: a member reads, then writes, on a branch of their own, then has no access', async () => {
  const [home, page] = [ada, grace];
  await ask(home, 'How do owls hunt at night?');
  await share(home, 'viewer');

  // The list of the member receives it, and has no composer for it.
  await page.getByRole('link', { name: /How do owls hunt/ }).click();
  await page.getByText(/shared this conversation with you for reading\./).waitFor();
  await lastReply(page).waitFor();
  expect(await page.locator('[data-composer]').count()).toBe(0);
  expect(await button(page, 'Share this conversation').count()).toBe(0);
  await checkScreen(page, 'shared-viewer', { phone: true });

  await share(home, 'editor');
  await page.locator('[data-composer]').waitFor();
  await ask(page, 'And how do bats?');
  const theirs = home.locator('[data-role=user]', { hasText: 'And how do bats?' });
  await theirs.waitFor();
  await theirs.getByText('Grace', { exact: true }).waitFor();
  await shot(home, 'shared-author', { phone: true });
  await seeEachOther(home, page);

  await edit(page, 'And how do bats?', 'And how do hedgehogs?');
  // What the owner sees stays as it is.
  await home.getByText('wrote on another branch').waitFor();
  expect(await theirs.count()).toBe(1);
  await checkScreen(home, 'other-branch', { phone: true });
  await button(home, 'Show').click();
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
  await completes(home);
  await stopTheOther(home, page);

  await share(home, '', 'Private again');
  await page.getByText('You no longer have access to this conversation.').waitFor();
  expect(await page.getByText('And how do bats?').count()).toBe(0);
  await checkScreen(page, 'access-ended', { phone: true });
  await page.getByRole('main').getByRole('button', { name: 'New Chat' }).last().click();
  await page.locator('[data-composer]').waitFor();
});

/** All three open a conversation of Ada, who pays for the others. */
async function meet(): Promise<void> {
  await button(ada, 'New Chat').first().click();
  await ask(ada, 'Why do owls bob their heads?');
  await share(ada, 'editor');
  await payForOthers(ada);
  for (const page of [grace, linus]) {
    await page.goto(url);
    await page.getByRole('link', { name: /Why do owls bob/ }).click();
    await lastReply(page).waitFor();
  }
  await ada.getByRole('img', { name: 'Also here: Grace, Linus' }).waitFor();
  await grace.getByRole('img', { name: 'Also here: Ada, Linus' }).waitFor();
  await linus.getByText('Ada pays for this conversation').waitFor();
  await shot(linus, 'owner-pays', { phone: true });
}

async function payForOthers(page: Page): Promise<void> {
  await chooseItem(page, 'Actions for this conversation', 'Pay for others…');
  await page.getByLabel('Tokens a month').fill('1,000,000');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

const POST = '**/api/conversations/*/messages';

/** Two members send at the same moment. @returns who was refused */
async function sendAtOnce(text: string): Promise<'Grace' | 'Linus'> {
  const sent = { Grace: grace, Linus: linus };
  let count = 0;
  const both = gate();
  for (const page of Object.values(sent))
    await routeOnly(page, 'POST', POST, async (route) => {
      count += 1;
      if (count === 2) both.open();
      await both.opened;
      await route.continue();
    });
  const answers = await Promise.all(
    Object.entries(sent).map(async ([name, page]) => {
      const answered = page.waitForResponse(
        (it) => it.request().method() === 'POST' && it.url().endsWith('/messages'),
      );
      await send(page, text);
      const answer = await answered;
      return { name, status: answer.status(), body: (await answer.json()) as unknown };
    }),
  );
  for (const page of Object.values(sent)) await page.unroute(POST);
  const [accepted, refused] = answers.toSorted((a, b) => a.status - b.status);
  expect(accepted?.status).toBe(202);
  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'reply_in_progress', details: { startedBy: { name: accepted?.name } } },
  });
  return refused?.name === 'Grace' ? 'Grace' : 'Linus';
}

// A reply ends after 16 KB, so its pace decides for how long it can be stopped: minutes, on a slow machine too.

/** Who was refused keeps the text, and sends it after a third person has stopped the other reply. */
async function writeAtOnce(text: string): Promise<void> {
  const name = await sendAtOnce(text);
  const [loser, winner, winnerName] =
    name === 'Grace' ? ([grace, linus, 'Linus'] as const) : ([linus, grace, 'Grace'] as const);
  await loser.getByText(`Answering ${winnerName}…`).waitFor();
  expect(await loser.locator('[data-composer]').inputValue()).toBe(text);
  await checkScreen(loser, 'answering', { phone: true });
  await ada.locator('[data-stop]').click();
  await winner.getByText('Stopped by Ada.').waitFor();
  await loser.getByText('Stopped by Ada.').waitFor();
  await loser.locator('[data-composer]').press('Enter');
  await ada.getByText(`Answering ${name}…`).waitFor();
  await loser.locator('[data-stop]').click();
  await ada.getByText(`Stopped by ${name}.`).waitFor();
}

/** The newest reply as a page copies it. */
async function copied(page: Page): Promise<string> {
  const inClipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await page.bringToFront();
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await button(lastReply(page), 'Copy').click();
  await expect.poll(inClipboard).not.toBe('');
  return inClipboard();
}

/** Kills the processes while a reply runs. In the end, all see what the database has. */
async function killWhileStreaming(): Promise<void> {
  await send(grace, '/long 12 5');
  for (const kind of ['worker', 'web'] as const) {
    await whileStreaming(ada, { atLeast: (await textOf(ada)).length + 100 });
    await product.kill(kind);
  }
  for (const page of [ada, grace, linus]) await completes(page);
  const id = new URL(grace.url()).searchParams.get('c');
  const messages = await get<{ content: string }[]>(grace, `/conversations/${id}/messages`);
  const stored = messages.at(-1)?.content;
  expect(stored?.length).toBeGreaterThan(5_000);
  for (const page of [grace, linus]) expect(await copied(page)).toBe(stored);
  const shown = await lastReply(grace).locator('.reply').textContent();
  for (const page of [ada, linus])
    expect(await lastReply(page).locator('.reply').textContent()).toBe(shown);
}

/** Grace and Linus change what Ada has asked for, each on a branch of their own. */
async function branchOff(): Promise<void> {
  await ask(ada, 'How do owls hear?');
  const reply = await lastReply(ada).getAttribute('data-message-id');
  const shown = (page: Page) => lastReply(page).getAttribute('data-message-id');
  for (const page of [grace, linus]) await expect.poll(() => shown(page)).toBe(reply);
  await completes(grace);
  await lastReply(grace).getByRole('button', { name: 'Regenerate' }).click();
  await lastReply(grace).getByRole('group', { name: 'Version 2 of 2' }).waitFor();
  await linus.getByText('Grace wrote on another branch').waitFor();
  await completes(grace);
  expect(await shown(linus)).toBe(reply);

  await edit(linus, 'How do owls hear?', 'How do owls see?');
  await ada.getByText('Linus wrote on another branch').waitFor();
  await messageOf(ada, 'How do owls hear?').waitFor();
  await button(ada, 'Show').click();
  await messageOf(ada, 'How do owls see?').getByText('Linus', { exact: true }).waitFor();
  await messageOf(grace, 'How do owls hear?').getByText('Ada', { exact: true }).waitFor();
  await completes(ada);
}

/** Counts the deltas that arrive by the sockets that a page opens from now on. */
function countDeltas(page: Page): () => number {
  let count = 0;
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (payload.includes('"reply:delta"')) count += 1;
    }),
  );
  return () => count;
}

/** Removes a member while a reply streams on their page. */
async function removeLinus(deltasOf: { ada: () => number; linus: () => number }): Promise<void> {
  await send(ada, '/long 60 2');
  for (const page of [ada, linus]) await whileStreaming(page, { atLeast: 100 });
  await chooseItem(office, 'Actions for Linus', 'Remove');
  const answered = office.waitForResponse((it) => it.request().method() === 'DELETE');
  await button(office, 'Remove').click();
  await answered;
  await linus.getByText('You no longer have access to this conversation.').waitFor();
  const before = { ada: deltasOf.ada(), linus: deltasOf.linus() };
  expect(before.linus).toBeGreaterThan(0);
  await expect.poll(deltasOf.ada).toBeGreaterThan(before.ada + 20);
  expect(deltasOf.linus()).toBe(before.linus);
  await checkScreen(linus, 'removed', { phone: true });
  await ada.locator('[data-stop]').click();
  await ada.getByText('You stopped this reply.').waitFor();
}

it('three people write at once, survive killed processes and branch off, until one of them is removed', async () => {
  const deltasOf = { ada: countDeltas(ada), linus: countDeltas(linus) };
  await ada.reload();
  await meet();
  await writeAtOnce('/long 90 1');
  await killWhileStreaming();
  await branchOff();
  await removeLinus(deltasOf);
  expect(await ada.locator('[data-stop]').count()).toBe(0);
});

const PERSONA = 'Librarian of the night shift';
const FILE = textFile('sightings.txt', 'Owls.');

/** Ada has one of each kind to share, a public link and an admin; Grace shares a conversation of her own. */
async function fillDialogs() {
  await button(office, 'Role of Grace: Member').click();
  await office.getByRole('menuitemradio', { name: 'Admin' }).click();
  await button(ada, 'New Chat').first().click();
  await attach(ada, FILE);
  await ask(ada, 'What did I see?');
  const conversation = new URL(ada.url()).search;
  await share(ada, 'editor');
  await chooseItem(ada, 'Actions for this conversation', 'Public link…');
  await button(ada, 'Create link').click();
  const link = await ada.getByLabel('Address').inputValue();
  await ada.goto(`${url}/personas?id=new`);
  await ada.getByLabel('Name', { exact: true }).fill(PERSONA);
  await button(ada, 'Save').click();
  await ada.getByRole('list', { name: 'Your personas' }).getByText(PERSONA).waitFor();
  await button(grace, 'New Chat').first().click();
  await ask(grace, 'Who hoots?');
  await share(grace, 'viewer');
  return { conversation: `/${conversation}`, link: new URL(link).pathname };
}

let places: Awaited<ReturnType<typeof fillDialogs>> | undefined;

// The longer texts, the German ones, on the narrow screen.
it.each([
  ['en-GB', 'wide', WIDE.viewport, en],
  ['de-DE', 'narrow', PHONE.viewport, de],
])(
  'each dialog about people fits, is accessible and used by keyboard, in %s, %s',
  async (locale, _size, viewport, texts) => {
    places ??= await fillDialogs();
    const asUser = async (page: Page) => {
      const storageState = await page.context().storageState();
      const options = { locale, viewport, storageState, reducedMotion: 'reduce' } as const;
      return (await arrive(options)).open('/workspace');
    };
    const names = { ...places, member: 'Grace', persona: PERSONA, file: FILE.name };
    const owner = await asUser(ada);
    for (const dialog of ownerDialogs(texts, names)) await checkDialog(owner, dialog);
    const screens = { workspace: '/workspace', links: '/settings#links', shared: places.link };
    for (const [picture, path] of Object.entries(screens)) await checkPage(owner, picture, path);
    const member = await asUser(grace);
    for (const dialog of memberDialogs(texts)) await checkDialog(member, dialog);
    expect(await member.getByRole('dialog').count()).toBe(0);
  },
);
