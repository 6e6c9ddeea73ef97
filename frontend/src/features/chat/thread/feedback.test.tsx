import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { openScreen, server, startServer, toasted } from '../chat-screen.fixture.tsx';
import { completeReply, conversation, makeUserMessage } from '../chat-server.fixture.ts';

const route = '/api/replies/r1/feedback';
const reply = completeReply('Owls hoot.');

beforeEach(() => {
  startServer();
  server.messages = { c1: [makeUserMessage('c1', { content: 'What do owls do?' }), reply] };
  server.answer(`PUT ${route}`, 200, { reply });
});

async function open() {
  const user = await openScreen();
  await screen.findByText('Owls hoot.');
  return user;
}

const button = (name: string) => screen.getByRole('button', { name });
const isPressed = (name: string) => button(name).getAttribute('aria-pressed') === 'true';
const stored = () => server.requests.filter(({ path }) => path === route).map(({ body }) => body);
const reasonBox = (label: string) => screen.findByRole('textbox', { name: label });

describe('rating a reply', () => {
  it('stores the rating at once, and another click removes it', async () => {
    const user = await open();
    await user.click(button('Good answer'));
    expect([isPressed('Good answer'), isPressed('Bad answer')]).toEqual([true, false]);
    expect(stored()).toEqual([{ rating: 'good' }]);
    await user.click(button('Good answer'));
    expect(isPressed('Good answer')).toBe(false);
    await waitFor(() => expect(stored()).toEqual([{ rating: 'good' }, { rating: null }]));
  });

  it('does not store a reason on the Enter that ends a composition, also as Safari reports it', async () => {
    const user = await open();
    await user.click(button('Bad answer'));
    const box = await reasonBox('What was wrong with it?');
    await user.type(box, 'にほん');
    fireEvent.keyDown(box, { key: 'Enter', isComposing: true });
    fireEvent.keyDown(box, { key: 'Enter', keyCode: 229 });
    expect(screen.queryByRole('textbox', { name: 'What was wrong with it?' })).not.toBeNull();
  });

  it('stores a reason of suggestions and own words with Enter', async () => {
    const user = await open();
    await user.click(button('Bad answer'));
    const box = await reasonBox('What was wrong with it?');
    await user.click(button('Not correct'));
    await user.click(button('Too long'));
    await user.click(button('Not correct'));
    expect(isPressed('Too long')).toBe(true);
    await user.type(box, ', and dull{Enter}');
    expect(screen.queryByRole('textbox', { name: 'What was wrong with it?' })).toBeNull();
    await waitFor(() =>
      expect(stored()).toEqual([
        { rating: 'bad' },
        { rating: 'bad', reason: 'Too long, and dull' },
      ]),
    );
    expect(isPressed('Bad answer')).toBe(true);
  });

  it('keeps the rating without a reason when Escape is pressed', async () => {
    const user = await open();
    await user.click(button('Good answer'));
    await user.type(await reasonBox('What was good about it?'), 'Clear{Escape}');
    expect(screen.queryByRole('textbox', { name: 'What was good about it?' })).toBeNull();
    expect(stored()).toEqual([{ rating: 'good' }]);
    expect(isPressed('Good answer')).toBe(true);
    await waitFor(() => expect(document.activeElement).toBe(button('Good answer')));
  });

  it('is taken back when it cannot be stored', async () => {
    const user = await open();
    server.answer(`PUT ${route}`, 503, { message: 'Try again in a moment.', code: 'unavailable' });
    await user.click(button('Bad answer'));
    await waitFor(() => expect(isPressed('Bad answer')).toBe(false));
    expect(toasted()).toMatchObject({
      title: 'Your feedback was not stored',
      description: 'Try again in a moment.',
    });
  });

  it('from another tab is shown without a reload, and removed too', async () => {
    await open();
    act(() => server.push('message:updated', { ...reply, feedback: { rating: 'good' } }));
    await waitFor(() => expect(isPressed('Good answer')).toBe(true));
    act(() => server.push('message:updated', reply));
    await waitFor(() => expect(isPressed('Good answer')).toBe(false));
  });
});

describe('a viewer of a shared conversation', () => {
  const BOB = { id: 'b', name: 'Bob Lee' };
  const footer = () => {
    const row = button('Good answer').parentElement;
    return row ? within(row).getAllByRole('button') : [];
  };

  beforeEach(() => {
    const shared = { role: 'viewer', owner: BOB } as const;
    server.conversations = [{ ...conversation('c1', 'Stars above the house'), shared }];
    const asked = makeUserMessage('c1', { content: 'What do owls do?', author: BOB });
    server.messages = { c1: [asked, { ...reply, author: BOB }] };
  });

  it('rates a reply that somebody else asked for, with a reason, and takes it back', async () => {
    const user = await open();
    expect([isPressed('Good answer'), isPressed('Bad answer')]).toEqual([false, false]);
    await user.click(button('Bad answer'));
    await user.type(await reasonBox('What was wrong with it?'), 'Dull{Enter}');
    expect(isPressed('Bad answer')).toBe(true);
    await user.click(button('Bad answer'));
    expect(isPressed('Bad answer')).toBe(false);
    await waitFor(() =>
      expect(stored()).toEqual([
        { rating: 'bad' },
        { rating: 'bad', reason: 'Dull' },
        { rating: null },
      ]),
    );
  });

  it('sees the rating that they gave before, and no more than that: no count, no name, no way to change the reply', async () => {
    server.messages.c1?.splice(1, 1, { ...reply, author: BOB, feedback: { rating: 'good' } });
    await open();
    expect([isPressed('Good answer'), isPressed('Bad answer')]).toEqual([true, false]);
    expect(footer().map((it) => it.getAttribute('aria-label'))).toEqual([
      'Copy',
      'Good answer',
      'Bad answer',
      'Details',
    ]);
    expect(footer().map(({ textContent }) => textContent)).toEqual(['', '', '', '']);
  });
});
