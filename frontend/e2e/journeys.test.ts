import { describe, expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { shot } from './shot.ts';
import {
  ask,
  barriers,
  completes,
  composer,
  distanceToEnd,
  lastReply,
  messageOf,
  newConversation,
  send,
  statusOf,
  textOf,
  whileStreaming,
} from './steps.ts';

const { url, arrive, guest } = await sharedProduct();

/**
 * Opens a guest's new conversation with a reply of about `size` KB that is written slowly, so that it still runs
 * after the page has loaded on a busy machine.
 */
async function askForLongReply({ size }: { size: number }) {
  const arrived = await guest();
  await send(arrived.page, `/long ${size} 10`);
  await whileStreaming(arrived.page, { atLeast: 300 });
  return arrived;
}

describe('every screen', () => {
  it('has no serious accessibility errors', async () => {
    // Without animation: text has less contrast halfway through a fade.
    const visitor = await arrive({ reducedMotion: 'reduce' });
    const page = await visitor.open();
    await page.getByRole('link', { name: 'Enter STOLAS' }).first().waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.goto(`${url}/login`);
    await page.getByRole('button', { name: 'Sign In' }).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Continue as Guest (Demo Mode)' }).click();
    await newConversation(page);
    await send(page, '/markdown');
    await completes(page);
    expect(await barriers(page)).toEqual([]);
    await messageOf(page, '/markdown').getByRole('button', { name: 'Edit' }).click();
    expect(await barriers(page)).toEqual([]);
    expect(visitor.errors).toEqual([]);
  });
});

describe('a guest', () => {
  it('starts on the landing page, sends, and sees the reply grow before it is complete', async () => {
    const visitor = await arrive();
    const page = await visitor.open();
    await page.getByRole('link', { name: 'Enter STOLAS' }).first().click();
    await page.getByRole('button', { name: 'Continue as Guest (Demo Mode)' }).click();
    await newConversation(page);
    await page.getByText('Start a new conversation').waitFor();
    await shot(page, 'new');
    await send(page, 'Hello there');
    await page.locator('[data-role=user]').getByText('Hello there').waitFor();
    await completes(page);
    await expect.poll(() => textOf(page)).toContain('Hello there');

    await send(page, '/long 6 10');
    await whileStreaming(page, { atLeast: 100 });
    const early = (await textOf(page)).length;
    await shot(page, 'streaming');
    await completes(page);
    expect((await textOf(page)).length).toBeGreaterThan(early);
    // Two of the demo's twenty messages are used.
    await expect.poll(() => page.getByText('18 messages').count()).toBe(1);
    expect(visitor.errors).toEqual([]);
  });

  it('sees the same reply live in a second tab, and after a reload in the middle', async () => {
    const { visitor, page } = await askForLongReply({ size: 20 });
    const second = await visitor.open(new URL(page.url()).search);
    await whileStreaming(second, { atLeast: 300 });
    const early = (await textOf(second)).length;
    await expect.poll(async () => (await textOf(second)).length).toBeGreaterThan(early);
    await page.reload();
    await whileStreaming(page, { atLeast: 300 });
    await Promise.all([page, second].map((tab) => completes(tab)));
    const both = () => Promise.all([page, second].map(textOf));
    await expect.poll(both).toSatisfy(([one, other]: string[]) => one === other);
    expect((await textOf(page)).length).toBeGreaterThan(12_000);
    expect(visitor.errors).toEqual([]);
  });

  it('sends in one tab, and an open second tab shows message and reply live', async () => {
    const { visitor, page } = await guest();
    await send(page, 'First');
    await completes(page);
    const second = await visitor.open(new URL(page.url()).search);
    await lastReply(second).waitFor();
    await send(page, '/long 4 8');
    await second.locator('[data-role=user]').getByText('/long 4 8').waitFor();
    await whileStreaming(second, { atLeast: 100 });
    await completes(second);
    expect(visitor.errors).toEqual([]);
  });

  it('stops a reply in one tab, which stops it in both and keeps the text', async () => {
    const { visitor, page } = await askForLongReply({ size: 40 });
    const second = await visitor.open(new URL(page.url()).search);
    await whileStreaming(second, { atLeast: 300 });
    await second.getByRole('button', { name: 'Stop' }).click();
    await Promise.all(
      [page, second].map((tab) => expect.poll(() => statusOf(tab)).toBe('stopped')),
    );
    expect((await textOf(page)).length).toBeGreaterThan(300);
    await page.getByRole('button', { name: 'Continue' }).waitFor();
    await shot(page, 'stopped');
    expect(visitor.errors).toEqual([]);
  });

  it('says in every tab that a reply reached its length limit, and goes on from there', async () => {
    const { visitor, page } = await guest({ reducedMotion: 'reduce' });
    await send(page, '/fail length');
    const limit = 'The reply reached its length limit.';
    await page.getByText(limit, { exact: true }).waitFor();
    const second = await visitor.open(new URL(page.url()).search);
    await second.getByText(limit, { exact: true }).waitFor();
    await shot(page, 'length-limit');
    await page.reload();
    await page.getByText(limit, { exact: true }).waitFor();
    const begun = await textOf(page);
    await page.getByRole('button', { name: 'Continue' }).click();
    for (const tab of [page, second]) {
      await expect.poll(async () => (await textOf(tab)).length).toBeGreaterThan(begun.length);
      await expect.poll(() => tab.getByText(limit, { exact: true }).count()).toBe(0);
      await completes(tab);
      expect(await textOf(tab)).toContain(begun.slice(0, 100));
    }
    expect(visitor.errors).toEqual([]);
  });

  it('fault 8: gets the reply by polling where WebSockets are blocked', async () => {
    const visitor = await arrive();
    // Connections are accepted and then dropped, as by a proxy that does not support them.
    await visitor.context.routeWebSocket(/\/socket\//, (socket) => socket.close());
    const page = await visitor.enterAsGuest();
    await newConversation(page);
    await send(page, '/long 4');
    await completes(page);
    await expect.poll(async () => (await textOf(page)).length).toBeGreaterThan(3_000);
    // The first poll reported the end.
    expect(await page.getByText('AI is Still Processing').count()).toBe(0);
  });
});

describe('versions of a message', () => {
  /** A guest whose conversation has one sent message, open in two tabs. */
  async function askInTwoTabs(text: string) {
    const { visitor, page } = await guest();
    await ask(page, text);
    const second = await visitor.open(new URL(page.url()).search);
    await messageOf(second, text).waitFor();
    return { visitor, page, second };
  }

  it('are made by editing, and switched in both tabs', async () => {
    const { visitor, page, second } = await askInTwoTabs('The first question');
    await messageOf(page, 'The first question').hover();
    await page.getByRole('button', { name: 'Edit' }).click();
    const editor = page.getByRole('textbox', { name: 'Edit message' });
    await editor.fill('A better question');
    await editor.press('Enter');
    for (const tab of [page, second]) {
      await messageOf(tab, 'A better question').getByText('2/2').waitFor();
      await expect.poll(() => messageOf(tab, 'The first question').count()).toBe(0);
      await completes(tab);
    }
    await expect.poll(() => textOf(page)).toContain('A better question');
    await shot(page, 'versions');

    await second.getByRole('button', { name: 'Previous version' }).click();
    for (const tab of [second, page]) {
      await messageOf(tab, 'The first question').getByText('1/2').waitFor();
      await expect.poll(() => messageOf(tab, 'A better question').count()).toBe(0);
      await expect.poll(() => textOf(tab)).toContain('The first question');
    }
    // By keyboard: the focus stayed on the switcher, whose other button is the only one left.
    await second.keyboard.press('Enter');
    await messageOf(page, 'A better question').getByText('2/2').waitFor();
    await page.reload();
    await messageOf(page, 'A better question').getByText('2/2').waitFor();
    expect(visitor.errors).toEqual([]);
  });

  it('are made by regenerating a reply, and the next message follows the one that is shown', async () => {
    const { visitor, page, second } = await askInTwoTabs('Tell me something');
    await lastReply(page).hover();
    await page.getByRole('button', { name: 'Regenerate' }).click();
    for (const tab of [page, second]) {
      await lastReply(tab).getByText('2/2').waitFor();
      await expect.poll(() => tab.locator('[data-role=user]').count()).toBe(1);
    }
    await lastReply(page).getByRole('button', { name: 'Previous version' }).click();
    // What is sent follows the version that its own tab shows.
    for (const tab of [page, second]) await lastReply(tab).getByText('1/2').waitFor();
    await ask(page, 'And then?');
    for (const tab of [page, second]) {
      await messageOf(tab, 'And then?').waitFor();
      await tab.getByText('1/2').waitFor();
    }
    expect(visitor.errors).toEqual([]);
  });
});

describe('what a user typed', () => {
  it('is shown as typed, before and after the reply and a reload', async () => {
    const typed =
      '# no heading\nC:\\dir\\_new_ *a*\n\n  indented & <b>\n1. one\nhttps://example.org/x_y';
    const { visitor, page } = await guest();
    const bubble = page.locator('[data-role=user] div[dir=auto]');
    await ask(page, typed);
    await expect.poll(() => bubble.innerText()).toBe(typed);
    await page.reload();
    await bubble.waitFor();
    await expect.poll(() => bubble.innerText()).toBe(typed);
    const link = bubble.getByRole('link');
    expect(await link.getAttribute('href')).toBe('https://example.org/x_y');
    expect(visitor.errors).toEqual([]);
  });

  it('is kept when it is too long to send, with a notice', async () => {
    const { visitor, page } = await guest();
    const box = composer(page);
    await box.fill('word '.repeat(40_000));
    await page.getByText('168,000 characters too long').waitFor();
    await shot(page, 'too-long');
    expect(await box.inputValue()).toHaveLength(200_000);
    await expect
      .poll(() => page.getByRole('button', { name: 'Send message' }).isDisabled())
      .toBe(true);
    await box.press('Enter');
    expect(await page.locator('[data-role=user]').count()).toBe(0);
    await page.reload();
    await expect.poll(async () => (await box.inputValue()).length).toBe(200_000);
    expect(visitor.errors).toEqual([]);
  });
});

describe('the scroll position', () => {
  it('follows the end after the second message, whatever the length of the first', async () => {
    for (const first of [
      'Hi',
      '/long 2',
      'word '.repeat(1_200),
      'Hi\n'.repeat(40),
      '/markdown',
      'Hi',
    ]) {
      const { visitor, page } = await guest();
      await ask(page, first);
      await expect.poll(() => distanceToEnd(page)).toBeLessThan(30);
      // Slowly, so that it still runs on a busy machine.
      await send(page, '/long 8 8');
      await whileStreaming(page, { atLeast: 2_000 });
      await expect.poll(() => distanceToEnd(page)).toBeLessThan(60);
      expect(await page.getByRole('button', { name: 'Jump to latest' }).count()).toBe(0);
      await visitor.context.close();
    }
  });
});
