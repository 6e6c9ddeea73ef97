import type { SharedPage as Shown } from '@stolas/backend/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { setAuthToken } from '../../lib/auth-token.ts';
import { queryClient } from '../../lib/query-client.ts';
import { fakeServer } from '../../lib/server.fixture.ts';
import { SharedPage } from './shared-page.tsx';

const ID = 'A'.repeat(22);
const LINK = `/api/shares/${ID}`;
const PAGE: Shown = {
  title: 'Owls',
  kind: 'snapshot',
  revision: 'one',
  createdAt: '2026-11-22T10:00:00.000Z',
  isCut: false,
  messages: [
    { role: 'user', parts: [{ type: 'text', text: 'What do owls do?' }] },
    {
      role: 'assistant',
      parts: [{ type: 'text', text: 'They **hoot** [1].' }],
      files: [{ name: 'owl.pdf', ref: 'r'.repeat(22), type: 'application/pdf' }],
      sources: [{ n: 1, fileName: 'owl.pdf', page: 3 }],
    },
  ],
};

const show = () =>
  render(
    <QueryClientProvider client={queryClient}>
      <SharedPage id={ID} />
    </QueryClientProvider>,
  );

describe('the page of a link', () => {
  it('shows the messages with their sources and files, and reads nothing else', async () => {
    const { asked } = fakeServer({ [`GET ${LINK}`]: { body: PAGE } });
    show();
    expect(await screen.findByRole('heading', { level: 1, name: 'Owls' })).toBeTruthy();
    expect(screen.getByText('hoot').tagName).toBe('STRONG');
    expect(screen.getByText('[1] owl.pdf, page 3')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'owl.pdf' }).getAttribute('href')).toBe(
      `${LINK}/files/${'r'.repeat(22)}?download=true`,
    );
    expect(asked.map(({ call }) => call)).toEqual([`GET ${LINK}`]);
  });

  it.each([
    [410, 'gone', 'This link no longer works.'],
    [404, 'not_found', 'There is nothing at this address'],
    [401, 'unauthenticated', 'Only users with an account can open this link'],
    [403, 'forbidden', 'Only users with an account can open this link'],
  ])('after %i says why nothing is shown', async (status, code, sentence) => {
    const body = { code, message: 'This link no longer works.' };
    fakeServer({ [`GET ${LINK}`]: { status, body } });
    show();
    expect(await screen.findByText(sentence)).toBeTruthy();
  });

  it('asks again when the conversation has changed before it is copied', async () => {
    setAuthToken('a-token');
    const { answers, asked } = fakeServer({
      [`GET ${LINK}`]: { body: PAGE },
      [`POST ${LINK}/continue`]: { status: 409, body: { code: 'version_conflict', message: 'x' } },
    });
    show();
    const button = await screen.findByRole('button', { name: 'Continue in my account' });
    answers[`GET ${LINK}`] = { body: { ...PAGE, revision: 'two', title: 'Hawks' } };
    await userEvent.click(button);
    await screen.findByRole('heading', { level: 1, name: 'Hawks' });
    answers[`POST ${LINK}/continue`] = { status: 201, body: { id: 'c'.repeat(24) } };
    await userEvent.click(
      await screen.findByRole('button', { name: 'Continue with the new messages' }),
    );
    const posts = asked.filter(({ call }) => call.startsWith('POST'));
    expect(posts.map(({ body }) => (body as { revision: string }).revision)).toEqual([
      'one',
      'two',
    ]);
    expect(location.search).toBe(`?c=${'c'.repeat(24)}`);
  });

  it('offers to reload a live link that too many read', async () => {
    fakeServer({ [`GET ${LINK}`]: { body: { ...PAGE, kind: 'live', isFull: true } } });
    show();
    expect(await screen.findByRole('button', { name: 'Reload to see more' })).toBeTruthy();
  });
});
