import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { shot } from './shot.ts';
import {
  ask,
  button,
  completes,
  composer,
  distanceToEnd,
  hold,
  lastReply,
  messageOf,
  routeOnly,
  send,
} from './steps.ts';

// The sentences of docs/product.md about the chat screen, as a Starter user sees them. The tests share one page and follow
// one another.
const { subscribe } = await sharedProduct({ RATE_LIMITS: 'false' });
let page: Page;

beforeAll(async () => {
  ({ page } = await subscribe('Starter'));
});

const sidebar = () => page.getByRole('navigation', { name: 'Conversations' });
const box = () => composer(page);
const seen = (text: string | RegExp) =>
  page.getByText(text, { exact: true }).filter({ visible: true }).first().waitFor();
const titles = () =>
  sidebar()
    .locator('[data-conversation-id]')
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => link.getAttribute('title') ?? link.textContent));

async function startConversation(text: string): Promise<void> {
  await sidebar().getByRole('button', { name: 'New Chat' }).click();
  await ask(page, text);
}

describe('no conversation selected', () => {
  it("welcome panel 'Welcome back, {first name or User}', cards and a 'Start New Conversation' button", async () => {
    await seen('Welcome back, Ada');
    await seen('Custom Personas');
    await seen('File Intelligence');
    await button(page, 'Start New Conversation').waitFor();
  });

  it("the 'new' pseudo-conversation shows 'Start a new conversation / Type your message below to begin chatting'", async () => {
    await button(page, 'Start New Conversation').click();
    await seen('Start a new conversation');
    await seen('Type your message below to begin chatting');
  });
});

describe('the composer', () => {
  it("textarea with placeholder 'Message STOLAS...', hint 'Press Enter to send • Shift+Enter for new line', file upload button, send button", async () => {
    await box().waitFor();
    await seen('Press Enter to send • Shift+Enter for new line');
    await button(page, 'Attach files').waitFor();
    await page.getByRole('button', { name: /Send/ }).waitFor();
  });

  it('send requires non-blank trimmed text; send is disabled when it is empty', async () => {
    const sendButton = page.getByRole('button', { name: /Send/ });
    await box().fill('  \n ');
    await expect.poll(() => sendButton.isDisabled()).toBe(true);
    await box().press('Enter');
    expect(await page.locator('[data-role=user]').count()).toBe(0);
    await box().fill('x');
    await expect.poll(() => sendButton.isEnabled()).toBe(true);
  });

  it('Shift+Enter makes a new line; the composer grows up to 200 px', async () => {
    await box().fill('first');
    await box().press('Shift+Enter');
    await page.keyboard.type('second');
    expect(await box().inputValue()).toBe('first\nsecond');
    const heightOf = async () => (await box().boundingBox())?.height ?? 0;
    const low = await heightOf();
    await box().fill('line\n'.repeat(60));
    await expect.poll(heightOf).toBeGreaterThan(low);
    await expect.poll(heightOf).toBeLessThanOrEqual(200);
  });

  it("Enter sends; a typing indicator appears while a send is pending; success toast 'Message sent'", async () => {
    // The first message creates its conversation.
    const release = await hold(page, 'POST', '**/api/conversations');
    await send(page, 'Which owls hunt by day?');
    await page.getByText('STOLAS is thinking').first().waitFor({ state: 'attached' });
    await expect.poll(() => box().isDisabled()).toBe(true);
    release();
    await seen('Message sent');
    await completes(page);
    await page.unroute('**/api/conversations');
  });
});

describe('messages', () => {
  it('user messages stand at the right, replies at the left, each with a time (hh:mm)', async () => {
    const mine = await messageOf(page, 'Which owls').boundingBox();
    const time = /^\d\d:\d\d/;
    for (const message of [messageOf(page, 'Which owls'), lastReply(page)])
      await message.getByText(time).first().waitFor({ state: 'attached' });
    const bubble = await page.getByText('Which owls hunt by day?').last().boundingBox();
    const reply = await lastReply(page).locator('.reply').boundingBox();
    expect((bubble?.x ?? 0) - (mine?.x ?? 0)).toBeGreaterThan((reply?.x ?? 0) - (mine?.x ?? 0));
  });

  it('content is rendered as markdown with tables and task lists', async () => {
    await ask(page, '/markdown');
    for (const part of ['table', 'input[type=checkbox]'])
      await expect.poll(() => lastReply(page).locator(part).count()).toBeGreaterThan(0);
    await shot(page, 'chat');
  });

  it('the view scrolls to the latest message', async () => {
    await expect.poll(() => distanceToEnd(page)).toBeLessThan(4);
  });
});

describe('the sidebar', () => {
  it('sorts conversations by updatedAt, starred first; stars are never sent to the server', async () => {
    await startConversation('Comets and their tails');
    await startConversation('Bread without yeast');
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(request.url());
    });
    expect((await titles()).slice(0, 2)).toEqual(['Bread without yeast', 'Comets and their tails']);
    const row = sidebar().locator('[data-conversation-id]').filter({ hasText: 'Comets' });
    await row.hover();
    await row.getByRole('button', { name: /star/i }).click();
    await expect.poll(async () => (await titles())[0]).toBe('Comets and their tails');
    await row.locator('time').waitFor();
    await page.reload();
    await expect.poll(async () => (await titles())[0]).toBe('Comets and their tails');
    expect(sent).toEqual([]);
  });

  it("'Search conversations...' filters by title, by a substring in any case", async () => {
    const search = page.getByPlaceholder('Search conversations...');
    await search.fill('YEAS');
    await expect.poll(titles).toEqual(['Bread without yeast']);
    await search.fill('');
    await expect.poll(async () => (await titles()).length).toBeGreaterThan(2);
  });

  it('has the initial, the name, the plan label, an upgrade button for Starter users, and Sign Out', async () => {
    await sidebar().getByText('A', { exact: true }).first().waitFor();
    await sidebar().getByText('Ada', { exact: true }).waitFor();
    await seen('Starter Plan');
    await button(page, 'Upgrade to Pro').waitFor();
    await button(page, 'Sign Out').waitFor();
  });

  it("theme toggle labelled 'Dark Mode' or 'Light Mode', a dark class on the root, the choice stored", async () => {
    const state = () =>
      page.evaluate(() => [
        document.documentElement.classList.contains('dark'),
        localStorage.getItem('theme'),
      ]);
    const wasDark = await button(page, 'Light Mode').isVisible();
    await button(page, wasDark ? 'Light Mode' : 'Dark Mode').click();
    await expect.poll(state).toEqual([!wasDark, wasDark ? 'light' : 'dark']);
    await button(page, wasDark ? 'Dark Mode' : 'Light Mode').click();
    await expect.poll(state).toEqual([wasDark, wasDark ? 'dark' : 'light']);
  });
});

describe('upgrade to Pro', () => {
  it('opens a confirmation dialog: pro-rated billing, $179/month, billed monthly, cancel anytime', async () => {
    await button(page, 'Upgrade to Pro').click();
    const dialog = page.getByRole('dialog');
    for (const text of [
      /[Pp]ro-rated billing for the remaining days of the current cycle/,
      /\$179\/month, billed monthly/,
      /[Cc]ancel anytime/,
    ])
      await dialog.getByText(text).waitFor();
    await button(page, 'Upgrade Now').waitFor();
    await shot(page, 'upgrade-dialog');
    await button(page, 'Cancel').click();
    await expect.poll(() => dialog.count()).toBe(0);
  });
});

describe('a file-upload button', () => {
  it('opens a modal uploader, which Escape closes', async () => {
    await box().waitFor();
    await button(page, 'Attach files').click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });
});

describe('sending fails', () => {
  const POST = '**/api/conversations/*/messages';
  /** Sends in the open conversation; the server's answer is replaced. */
  async function sendWith(status: number, body: unknown = ''): Promise<void> {
    await page.unroute(POST);
    await routeOnly(page, 'POST', POST, (route) =>
      route.fulfill({ status, body: typeof body === 'string' ? body : JSON.stringify(body) }),
    );
    await send(page, 'Will this arrive?');
  }

  it("toast 'Error' with the message", async () => {
    await sendWith(422, { code: 'invalid_field', message: 'Write a shorter message.' });
    await seen('Error');
    await seen('Write a shorter message.');
  });

  it("'Failed to send message. Please try again.'", async () => {
    await sendWith(500);
    await seen('Failed to send message. Please try again.');
    await expect.poll(() => box().inputValue()).toBe('Will this arrive?');
  });

  it("524: 'AI is Still Processing', the input is cleared and messages are polled", async () => {
    await sendWith(524, '<html>A timeout occurred</html>');
    await seen('AI is Still Processing');
    await expect.poll(() => box().inputValue()).toBe('');
    await page.unroute(POST);
  });
});
