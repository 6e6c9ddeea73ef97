import type { User } from '@stolas/backend/contract';
import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { formatShortDay, formatTime } from '../../../lib/time.ts';
import {
  composer,
  openScreen,
  replyOnScreen,
  server,
  startServer,
  toasted,
} from '../chat-screen.fixture.tsx';
import { makeReply, makeUserMessage } from '../chat-server.fixture.ts';

const DAY_MS = 86_400_000;
const IN_A_WEEK = new Date(Date.now() + 7 * DAY_MS).toISOString();
const SOON = new Date(Date.now() + DAY_MS / 4).toISOString();
const LIMIT = 200_000;

beforeEach(startServer);

const summary = (used: number, fields: Partial<User['usage']> = {}) => ({
  used,
  reserved: 0,
  tokensPerMessage: 1_000,
  limit: LIMIT,
  resetsAt: IN_A_WEEK,
  ...fields,
});
const openWith = (usage: User['usage'], fields: Partial<User> = {}) => {
  server.user = { ...server.user, ...(usage && { usage }), ...fields };
  return openScreen();
};
/** The server publishes new usage to the tabs. */
const tell = (usage: NonNullable<User['usage']>) =>
  act(() => server.push('account:changed', { ...server.user, usage }));
const meter = () => document.querySelector('[data-usage-meter]');
const linkTo = (name: string) => screen.getByRole('link', { name }).getAttribute('href');
const box = () => screen.queryByPlaceholderText('Message STOLAS...');

describe('the meter above the composer', () => {
  it('shows nothing below 80% of the tokens', async () => {
    await openWith(summary(159_999));
    expect(meter()).toBeNull();
  });

  it('shows the used share, the reset and a link to upgrade from 80%', async () => {
    await openWith(summary(160_000));
    expect(meter()?.textContent).toContain('About 40 messages left (80% used)');
    expect(meter()?.textContent).toContain(`resets on ${formatShortDay(IN_A_WEEK)}`);
    expect(linkTo('Upgrade')).toBe('/subscription?change=true');
  });

  it('never shows 100% while a token is left', async () => {
    await openWith(summary(LIMIT - 1));
    expect(meter()?.textContent).toContain('Less than one message left (99% used)');
    expect(box()).toBeTruthy();
  });

  it('does not count what running replies only reserve', async () => {
    await openWith(summary(LIMIT, { reserved: 50_000 }));
    expect(meter()).toBeNull();
    expect(box()).toBeTruthy();
  });

  it('leads to the usage where there is no higher plan', async () => {
    await openWith(summary(190_000), { subscriptionPlan: 'pro' });
    expect(screen.queryByRole('link', { name: 'Upgrade' })).toBeNull();
    expect(linkTo('See usage')).toBe('/settings#usage');
  });

  it('keeps its place while a reply is being generated', async () => {
    const running = makeReply('c1', { status: 'streaming', attempt: 1 });
    server.messages = { c1: [makeUserMessage('c1'), running] };
    await openWith(summary(180_000));
    await screen.findByRole('button', { name: 'Stop' });
    tell(summary(2_000));
    await waitFor(() =>
      expect(meter()?.textContent).toContain('About 200 messages left (1% used)'),
    );
    const at = { replyId: 'r1', conversationId: 'c1', attempt: 1 };
    act(() => server.push('reply:state', { ...at, status: 'complete', length: 0 }));
    await waitFor(() => expect(meter()).toBeNull());
  });
});

describe('when the tokens of the plan are used up', () => {
  it('a link to upgrade and the reset take the place of the composer', async () => {
    await openWith(summary(LIMIT));
    expect(screen.getByText('All used up.')).toBeTruthy();
    const text = `You have used 200,000 of 200,000 tokens this month. You can continue on ${formatShortDay(IN_A_WEEK)}.`;
    expect(screen.getByText(text)).toBeTruthy();
    expect(linkTo('Upgrade')).toBe('/subscription?change=true');
    expect(box()).toBeNull();
  });

  it('Pro sees only the reset', async () => {
    await openWith(summary(LIMIT), { subscriptionPlan: 'pro' });
    expect(screen.getByText('All used up.')).toBeTruthy();
    expect(screen.queryByRole('link', { name: 'Upgrade' })).toBeNull();
  });

  it('a text that is being written stays in view, and is not sent', async () => {
    const user = await openWith(summary(1_000));
    await user.type(composer(), 'Half a thou');
    tell(summary(LIMIT));
    expect(await screen.findByText('All used up.')).toBeTruthy();
    await user.type(composer(), 'ght{Enter}');
    expect(composer().value).toBe('Half a thought');
    expect(document.activeElement).toBe(composer());
    expect(server.posted('/api/conversations/c1/messages')).toEqual([]);
  });

  it('the composer returns with new tokens', async () => {
    await openWith(summary(LIMIT));
    tell(summary(0));
    await waitFor(() => expect(box()).toBeTruthy());
    expect(screen.queryByText('All used up.')).toBeNull();
  });

  it('a running reply can still be stopped', async () => {
    const running = makeReply('c1', { status: 'streaming', attempt: 1 });
    server.messages = { c1: [makeUserMessage('c1'), running] };
    await openWith(summary(LIMIT));
    expect(await screen.findByRole('button', { name: 'Stop' })).toBeTruthy();
    expect(meter()?.textContent).toContain('All used up');
  });
});

describe('without an active plan', () => {
  const openWithout = (subscriptionStatus: User['subscriptionStatus']) => {
    server.messages = { c1: [makeUserMessage('c1'), makeReply('c1', { status: 'complete' })] };
    return openWith(undefined, {
      subscriptionStatus,
      subscriptionPlan: null,
      usage: undefined as never,
    });
  };
  const panel = (title: string) => screen.getByText(title).parentElement?.textContent;

  it('a conversation can be read, and a link to the plans takes the place of the composer', async () => {
    await openWithout(null);
    expect(replyOnScreen()).toBeTruthy();
    expect(panel('No active plan.')).toBe('No active plan. Choose a plan to send messages.');
    expect(linkTo('Choose a plan')).toBe('/subscription');
    expect(box()).toBeNull();
  });

  it('a plan that is paused after an unpaid renewal is not said to be none', async () => {
    await openWithout('past_due');
    const title = 'Your plan is paused.';
    expect(panel(title)).toBe(`${title} Update your card to send messages.`);
    expect(screen.queryByRole('link', { name: 'Choose a plan' })).toBeNull();
    expect(box()).toBeNull();
  });
});

it('when only the own cap of the day is used up, a link leads to it', async () => {
  await openWith(summary(5_000, { cap: { used: 5_000, limit: 5_000, resetsAt: SOON } }));
  expect(screen.getByText('Your daily cap is used up.')).toBeTruthy();
  expect(screen.getByText(/5,000 of 5,000 tokens today/).textContent).toContain(
    `You can continue at ${formatTime(SOON)}.`,
  );
  expect(linkTo('Change the cap')).toBe('/settings#usage');
  expect(box()).toBeNull();
});

describe('a send that the quota refuses', () => {
  const route = 'POST /api/conversations/c1/messages';
  const refuse = (details: object) =>
    server.answer(route, 402, { message: 'Used up.', code: 'quota_exceeded', details });

  it('keeps the text, and shows the sums and a way to upgrade', async () => {
    const user = await openWith(undefined);
    refuse({ used: 212_000, limit: LIMIT, resetsAt: IN_A_WEEK, upgrade: true });
    await user.type(composer(), 'One more{Enter}');
    await waitFor(() => expect(toasted()?.title).toBe('All used up'));
    expect(toasted()?.description).toBe(
      `You have used 212,000 of 200,000 tokens this month. You can continue on ${formatShortDay(IN_A_WEEK)}.`,
    );
    expect(composer().value).toBe('One more');
    expect(replyOnScreen()).toBeNull();
    expect(toasted()?.action?.label).toBe('Upgrade');
    act(() => toasted()?.action?.onSelect());
    expect(location.pathname + location.search).toBe('/subscription?change=true');
  });

  it('offers no plan where there is no higher one', async () => {
    const user = await openWith(undefined, { subscriptionPlan: 'pro' });
    refuse({ used: LIMIT, limit: LIMIT, resetsAt: IN_A_WEEK });
    await user.type(composer(), 'One more{Enter}');
    await waitFor(() => expect(toasted()?.title).toBe('All used up'));
    expect(toasted()?.action).toBeUndefined();
  });

  it('leads to the settings when it was the own cap', async () => {
    const user = await openWith(undefined);
    refuse({ used: 5_000, limit: 5_000, resetsAt: SOON, cap: true });
    await user.type(composer(), 'One more{Enter}');
    await waitFor(() => expect(toasted()?.title).toBe('Your daily cap is used up'));
    expect(toasted()?.description).toContain('5,000 of 5,000 tokens today');
    act(() => toasted()?.action?.onSelect());
    expect(location.pathname + location.hash).toBe('/settings#usage');
  });

  it("shows a guest the server's sentence and the plans", async () => {
    const demo = { messagesLeft: 1, messageLimit: 20, tokensLeft: 9, tokenLimit: 20_000 };
    const user = await openWith(undefined, {
      subscriptionStatus: 'guest',
      subscriptionPlan: null,
      demo,
    });
    refuse({ used: 19_991, limit: 20_000, resetsAt: null });
    await user.type(composer(), 'One more{Enter}');
    await waitFor(() => expect(toasted()?.description).toBe('Used up.'));
    expect(toasted()?.action?.label).toBe('See plans');
    act(() => toasted()?.action?.onSelect());
    expect(location.pathname + location.search).toBe('/subscription');
  });
});
