import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { makeRoom, openScreen, resetScreen, startServer } from '../chat-screen.fixture.tsx';
import type { TestServer } from '../chat-server.fixture.ts';

const network = vi.hoisted(() => ({ io: (): unknown => ({}) }));
vi.mock('socket.io-client', () => ({ io: () => network.io() }));

let server: TestServer;
beforeAll(makeRoom);
beforeEach(() => {
  server = startServer();
  network.io = server.io;
  server.answer('GET /api/depths', 200, { medianMs: { fast: 900, balanced: 4_200, deep: null } });
});
afterEach(resetScreen);

/** A window that can become as narrow as a phone. */
function resizableWindow(): { narrow: () => void } {
  const media = () => Object.assign(new EventTarget(), { matches: false });
  const phone = media();
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) => (query.includes('767') ? phone : media()) as MediaQueryList,
  );
  return {
    narrow: () => {
      phone.matches = true;
      act(() => void phone.dispatchEvent(new Event('change')));
    },
  };
}
const depth = () => screen.findByRole<HTMLSelectElement>('combobox', { name: 'Depth' });
const names = (select: HTMLSelectElement) => Array.from(select.options, ({ text }) => text);

it('shows the measured time of each depth beside its name', async () => {
  await openScreen(server);
  const select = await depth();
  await waitFor(() =>
    expect(names(select)).toEqual(['Fast · about 1 s', 'Balanced · about 4 s', 'Deep']),
  );
});

it('shows the times on a phone, which has no room for them, in the list that opens', async () => {
  const { narrow } = resizableWindow();
  await openScreen(server);
  narrow();
  const select = await depth();
  expect(names(select)).toEqual(['Fast', 'Balanced', 'Deep']);
  act(() => select.focus());
  await waitFor(() => expect(names(select)).toContain('Balanced · about 4 s'));
  act(() => select.blur());
  expect(names(select)).toEqual(['Fast', 'Balanced', 'Deep']);
});
