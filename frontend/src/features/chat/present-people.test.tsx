import type { PresentPerson } from '@stolas/backend/contract';
import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { composer, openScreen, server, startServer } from './chat-screen.fixture.tsx';
import { useArrivals } from './use-arrivals.ts';

beforeEach(() => {
  startServer();
  const [conversation] = server.conversations;
  const owner = { id: 'ada', name: 'Ada' };
  if (conversation) conversation.shared = { role: 'editor', owner };
});

const person = (name: string, state: PresentPerson['state'] = 'here'): PresentPerson => ({
  id: name.toLowerCase(),
  name,
  state,
});
const tell = (others: PresentPerson[], count = others.length + 1) => {
  const users = [{ ...person('Me'), id: server.user.id }, ...others];
  act(() => server.push('presence', { conversationId: 'c1', users, count }));
};
const said = (name: string) => screen.queryByRole('img', { name });

it('shows who else has the conversation open, by a few initials and all names, and never the user', async () => {
  await openScreen();
  await screen.findByText('Shared by Ada');
  tell([]);
  expect(screen.queryByRole('img', { name: /Also here/ })).toBeNull();
  tell([person('Eve'), person('Ben')]);
  expect(said('Also here: Ben, Eve')?.textContent).toBe('BE');
  tell(
    ['A', 'B', 'C', 'D', 'E'].map((name) => person(name)),
    30,
  );
  expect(said('Also here: A, B, C, D, E, 24 others')?.textContent).toBe('ABCD+25');
  act(() => server.push('access:changed', { conversationId: 'c1' }));
  expect(screen.queryByRole('img', { name: /Also here/ })).toBeNull();
});

it('says who is writing, and tells the others at the first key, and never what', async () => {
  await openScreen();
  await screen.findByText('Shared by Ada');
  tell([person('Ada', 'typing')]);
  expect(screen.getByText('is writing', { exact: false }).textContent).toBe('Ada is writing');
  tell([person('Ada', 'typing'), person('\u202eBen', 'typing')]);
  const line = screen.getByText('are writing', { exact: false });
  expect(line.textContent).toBe('Ada and \u202eBen are writing');
  expect(line.querySelectorAll('bdi')).toHaveLength(2);
  tell(['Ada', 'Ben', 'Cleo'].map((name) => person(name, 'typing')));
  expect(screen.getByText('Several people are writing')).toBeTruthy();
  tell([person('Ada')]);
  expect(screen.queryByText(/writing/)).toBeNull();
  expect(server.emitted).not.toContainEqual(['typing', { conversationId: 'c1' }]);
  await userEvent.type(composer(), 'ab');
  expect(server.emitted.filter(([event]) => event === 'typing')).toEqual([
    ['typing', { conversationId: 'c1' }],
  ]);
});

const Arrivals = ({ people }: { people: PresentPerson[] | undefined }) => (
  <p data-testid="said">{useArrivals(people)}</p>
);

afterEach(() => void vi.useRealTimers());

it('announces who came after the reader, at most once a minute, and nobody who has left again', async () => {
  vi.useFakeTimers();
  const { rerender } = render(<Arrivals people={undefined} />);
  const heard = () => screen.getByTestId('said').textContent;
  const now = (...names: string[]) =>
    rerender(<Arrivals people={names.map((name) => person(name))} />);
  now('Ada');
  expect(heard()).toBe('');
  now('Ada', 'Ben');
  expect(heard()).toBe('Opened this conversation: Ben');
  now('Ada', 'Ben', 'Cleo', 'Dan');
  now('Ada', 'Ben', 'Cleo');
  await act(() => vi.advanceTimersByTimeAsync(59_000));
  expect(heard()).toBe('Opened this conversation: Ben');
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  expect(heard()).toBe('Opened this conversation: Cleo');
});
