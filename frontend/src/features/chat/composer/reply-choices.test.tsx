import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { openScreen, server, startServer } from '../chat-screen.fixture.tsx';

beforeEach(() => {
  startServer();
  server.answer('GET /api/depths', 200, { medianMs: { fast: 900, balanced: 4_200, deep: null } });
});
/** Gives every element this width. */
const makeWide = (width: number) =>
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(width);

const depth = () => screen.findByRole<HTMLSelectElement>('combobox', { name: 'Depth' });
const names = (select: HTMLSelectElement) => Array.from(select.options, ({ text }) => text);

it('shows the measured time of each depth beside its name', async () => {
  makeWide(500);
  await openScreen();
  const select = await depth();
  await waitFor(() =>
    expect(names(select)).toEqual(['Fast · about 1 s', 'Balanced · about 4 s', 'Deep']),
  );
});

it('shows the times in the list that opens where the message box has no room for them', async () => {
  makeWide(300);
  await openScreen();
  const select = await depth();
  expect(names(select)).toEqual(['Fast', 'Balanced', 'Deep']);
  act(() => select.focus());
  await waitFor(() => expect(names(select)).toContain('Balanced · about 4 s'));
  act(() => select.blur());
  expect(names(select)).toEqual(['Fast', 'Balanced', 'Deep']);
});

it('shows full names of memory modes only in the list that opens where the message box is narrow', async () => {
  makeWide(200);
  await openScreen();
  const select = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Memory' });
  expect(names(select)).toEqual(['On', 'Read only', 'Off']);
  act(() => select.focus());
  expect(names(select)).toEqual(['Memory on', 'Memory read only', 'Memory off']);
});
