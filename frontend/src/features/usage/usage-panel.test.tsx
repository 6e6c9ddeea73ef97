import type { Usage } from '@stolas/backend/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { setAuthToken } from '../../lib/auth-token.ts';
import { queryClient } from '../../lib/query-client.ts';
import { fakeServer } from '../../lib/server.fixture.ts';
import { toggleTheme } from '../../lib/theme.ts';
import { formatShortDay } from '../../lib/time.ts';
import { testUser } from '../../lib/user.fixture.ts';
import { live } from '../../realtime/index.ts';
import { Toaster } from '../../ui/toast.tsx';
import { UsagePanel } from './index.ts';
import type { Plot } from './plot.ts';

// happy-dom has no canvas.
const plot = vi.hoisted(() => ({
  show: vi.fn<Plot['show']>(),
  redraw: vi.fn<Plot['redraw']>(),
  destroy: vi.fn<Plot['destroy']>(),
}));
const drawing = vi.hoisted(() => ({ onPoint: (_index: number | null): void => undefined }));
vi.mock('./plot.ts', () => ({
  createPlot: (_host: HTMLElement, onPoint: (index: number | null) => void) => {
    drawing.onPoint = onPoint;
    return plot;
  },
}));

const DAY_MS = 86_400_000;
const dayOf = (before: number) => new Date(Date.now() - before * DAY_MS).toISOString();
const dateOf = (before: number) => dayOf(before).slice(0, 10);
const nameOf = (before: number) => formatShortDay(dateOf(before), 'UTC');

const usageOf = (fields: Partial<Usage> = {}): Usage => ({
  used: 12_500,
  reserved: 500,
  limit: 200_000,
  tokensPerMessage: 1_500,
  resetsAt: dayOf(-20),
  startsAt: dayOf(2),
  days: [{ date: dateOf(1), tokens: 12_000 }],
  kinds: [
    { kind: 'reply', tokens: 11_950 },
    { kind: 'search', tokens: 50 },
  ],
  tokensPerDay: null,
  usedToday: 0,
  workspaces: [],
  ...fields,
});

let server: ReturnType<typeof fakeServer>;

beforeEach(() => {
  server = fakeServer({ 'GET /api/usage': { body: usageOf() } });
  setAuthToken('one');
  for (const call of Object.values(plot)) call.mockClear();
});

const show = () =>
  render(
    <QueryClientProvider client={queryClient}>
      <section>
        <UsagePanel />
      </section>
      <Toaster />
    </QueryClientProvider>,
  );
async function open(fields: Partial<Usage> = {}) {
  server.answers['GET /api/usage'] = { body: usageOf(fields) };
  show();
  await screen.findByRole('button', { name: 'Download CSV' });
}
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
const bodyOf = (call: string) => server.asked.filter((one) => one.call === call).at(-1)?.body;
const text = () => document.body.textContent ?? '';

describe('the usage', () => {
  it('is shown with its limit, its reset and its kinds', async () => {
    await open();
    expect(text()).toContain('12,000 of 200,000 tokens');
    expect(text()).toContain(`Resets on ${formatShortDay(dayOf(-20))}`);
    expect(text()).toContain('Replies11,950 tokens99%');
    expect(text()).toContain('Search50 tokens<1%');
  });

  it('says in messages what is left', async () => {
    await open();
    expect(text()).toContain('About 130 messages left, at about 1,500 tokens each.');
    cleanup();
    queryClient.clear();
    await open({ tokensPerMessage: 250_000, tokensPerDay: 300_000 });
    expect(text()).toContain('Less than one message left');
    expect(text()).toContain('That is about 1 message a day.');
    cleanup();
    queryClient.clear();
    // A guest, whose messages end before the tokens.
    await open({ messages: { used: 6, limit: 20 } });
    expect(text()).toContain('About 14 messages left');
  });

  it('says in words what work in the background took', async () => {
    await open({
      kinds: [
        { kind: 'reply', tokens: 1_519 },
        { kind: 'memory', tokens: 551 },
      ],
    });
    expect(text()).toContain(
      'Replies took 73%. The other 27% went to work in the background: Memory.',
    );
    // The list says the same.
    expect(text()).toContain('Memory551 tokens27%');
    cleanup();
    queryClient.clear();
    await open({ kinds: [{ kind: 'reply', tokens: 500 }] });
    expect(text()).toContain('Nothing was spent on work in the background.');
  });

  it('has every day of the period in its table, the latest first', async () => {
    await open();
    const rows = within(screen.getByRole('table')).getAllByRole('row').slice(1);
    expect(rows.map((row) => row.textContent)).toEqual([
      `${nameOf(0)}0`,
      `${nameOf(1)}12,000`,
      `${nameOf(2)}0`,
    ]);
  });

  it('says so when nothing is used yet, without a plot and a table', async () => {
    await open({ used: 0, reserved: 0, days: [], kinds: [] });
    expect(text()).toContain('No usage yet.');
    expect(screen.queryByRole('table')).toBeNull();
    expect(plot.show).not.toHaveBeenCalled();
  });

  it('is plotted, and drawn again when the theme changes', async () => {
    await open();
    await waitFor(() => expect(plot.show).toHaveBeenCalled());
    const [days, length] = plot.show.mock.lastCall ?? [];
    expect(days?.map(({ tokens }) => tokens)).toEqual([0, 12_000, 0]);
    expect(length).toBe(22);
    plot.redraw.mockClear();
    act(() => toggleTheme());
    expect(plot.redraw).toHaveBeenCalled();
    act(() => toggleTheme());
  });

  it('names the day that is pointed at, else today', async () => {
    await open();
    await waitFor(() => expect(plot.show).toHaveBeenCalled());
    expect(text()).toContain('Today: 0 tokens');
    act(() => drawing.onPoint(1));
    expect(text()).toContain(`${nameOf(1)}: 12,000 tokens`);
  });

  it('names one number for today: with a cap, that of the cap', async () => {
    await open({ days: [{ date: dateOf(0), tokens: 3_000 }], usedToday: 5_000 });
    expect(text()).toContain('Today: 3,000 tokens');
    expect(text()).not.toContain('5,000');
    cleanup();
    queryClient.clear();
    const days = [{ date: dateOf(0), tokens: 3_000 }];
    await open({ days, usedToday: 5_000, tokensPerDay: 50_000 });
    expect(text()).toContain('5,000 of 50,000 tokens today');
    expect(text()).not.toContain('Today:');
  });

  it('is read again when the account changes', async () => {
    await open();
    server.answers['GET /api/usage'] = { body: usageOf({ used: 13_500 }) };
    act(() => live.handlers['account:changed'](testUser()));
    await waitFor(() => expect(text()).toContain('13,000 of 200,000 tokens'));
    expect(plot.destroy).not.toHaveBeenCalled();
  });

  it('of a guest has messages, and no cap', async () => {
    await open({ messages: { used: 3, limit: 20 }, limit: 20_000, resetsAt: null, startsAt: null });
    expect(text()).toContain('3 of 20 messages');
    expect(text()).toContain('12,000 of 20,000 tokens');
    expect(text()).not.toContain('Resets');
    expect(screen.queryByText('Daily cap')).toBeNull();
  });

  it('of a user without a plan says so', async () => {
    await open({ limit: 0, used: 0, days: [], kinds: [], resetsAt: null, startsAt: null });
    expect(screen.getByText(/You have no plan/)).toBeTruthy();
    expect(screen.queryByText('By day')).toBeNull();
  });

  it('is read again on request when that failed', async () => {
    server.answers['GET /api/usage'] = 'no network';
    show();
    const again = await screen.findByRole('button', { name: 'Try again' });
    server.answers['GET /api/usage'] = { body: usageOf() };
    await userEvent.click(again);
    await waitFor(() => expect(text()).toContain('12,000 of 200,000 tokens'));
  });

  it('comes into view when the address names it', async () => {
    const into = vi.spyOn(HTMLElement.prototype, 'scrollIntoView').mockReturnValue();
    window.location.hash = '#usage';
    await open();
    expect(into).toHaveBeenCalledTimes(1);
    window.location.hash = '';
  });
});

describe('the cap of a day', () => {
  it('is read with the grouping of the language: 50.000 in German', async () => {
    server.answers['PUT /api/usage/cap'] = { body: usageOf({ tokensPerDay: 50_000 }) };
    vi.spyOn(navigator, 'languages', 'get').mockReturnValue(['de-DE']);
    document.documentElement.lang = 'de';
    await open();
    await userEvent.click(await screen.findByRole('button', { name: 'Set a Cap' }));
    await userEvent.type(screen.getByLabelText('Tokens per day'), '50.000');
    await userEvent.click(screen.getByRole('button', { name: 'Save Cap' }));
    await screen.findByText('Your daily cap is saved');
    expect(bodyOf('PUT /api/usage/cap')).toEqual({ tokensPerDay: 50_000 });
    document.documentElement.lang = '';
  });

  it('is set, whatever the grouping of the typed number', async () => {
    server.answers['PUT /api/usage/cap'] = {
      body: usageOf({ tokensPerDay: 50_000, usedToday: 7_000 }),
    };
    await open();
    await press('Set a Cap');
    const field = screen.getByLabelText('Tokens per day');
    expect(document.activeElement).toBe(field);
    await userEvent.type(field, '50,000{Enter}');
    await waitFor(() => expect(text()).toContain('7,000 of 50,000 tokens today'));
    expect(bodyOf('PUT /api/usage/cap')).toEqual({ tokensPerDay: 50_000 });
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Change Cap' }));
  });

  it('shows what is wrong at the field, and keeps the typed text', async () => {
    server.answers['PUT /api/usage/cap'] = {
      status: 422,
      body: {
        code: 'invalid_field',
        message: 'Enter a whole number of tokens.',
        details: { field: 'tokensPerDay' },
      },
    };
    await open();
    await press('Set a Cap');
    const field = screen.getByLabelText<HTMLInputElement>('Tokens per day');
    await userEvent.type(field, 'many{Enter}');
    expect(await screen.findByText('Enter a whole number of tokens.')).toBeTruthy();
    expect(bodyOf('PUT /api/usage/cap')).toEqual({ tokensPerDay: 'many' });
    expect([field.value, field.getAttribute('aria-invalid')]).toEqual(['many', 'true']);
  });

  it('is not removed by an empty field', async () => {
    server.answers['PUT /api/usage/cap'] = { status: 422, body: {} };
    await open({ tokensPerDay: 50_000 });
    await press('Change Cap');
    await userEvent.clear(screen.getByLabelText('Tokens per day'));
    await press('Save Cap');
    expect(bodyOf('PUT /api/usage/cap')).toEqual({ tokensPerDay: '' });
  });

  it('is removed', async () => {
    server.answers['PUT /api/usage/cap'] = { body: usageOf() };
    await open({ tokensPerDay: 50_000 });
    await press('Remove Cap');
    expect(await screen.findByText('No daily cap')).toBeTruthy();
    expect(bodyOf('PUT /api/usage/cap')).toEqual({ tokensPerDay: null });
  });

  it('stays when saving failed', async () => {
    server.answers['PUT /api/usage/cap'] = 'no network';
    await open({ tokensPerDay: 50_000 });
    await press('Remove Cap');
    expect(await screen.findByText('Your daily cap was not removed')).toBeTruthy();
    expect(text()).toContain('of 50,000 tokens today');
  });
});

describe('the ledger', () => {
  it('is saved as a file', async () => {
    server.answers['GET /api/usage/ledger.csv'] = { body: 'at,kind' };
    await open();
    const saved: { name: string; href: string }[] = [];
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(
      this: HTMLAnchorElement,
    ) {
      saved.push({ name: this.download, href: this.href });
    });
    await press('Download CSV');
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(saved[0]?.name).toBe(`stolas-usage-${dateOf(0)}.csv`);
    expect(saved[0]?.href).toMatch(/^blob:/);
  });

  it('shows when it could not be read', async () => {
    server.answers['GET /api/usage/ledger.csv'] = { status: 429, body: { message: 'Too often.' } };
    await open();
    await press('Download CSV');
    expect(await screen.findByText('The file was not downloaded')).toBeTruthy();
    expect(screen.getByText('Too often.')).toBeTruthy();
  });
});
