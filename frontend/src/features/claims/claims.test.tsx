import type {
  ClaimsCheck,
  Depth,
  MessageMetadata,
  Reply,
  ReplyClaim,
} from '@stolas/backend/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, renderHook, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { queryClient } from '../../lib/query-client.ts';
import { fakeServer } from '../../lib/server.fixture.ts';
import { clearThreadTarget, useThreadTarget } from '../../lib/thread-target.ts';
import { messagesKey } from '../../realtime/index.ts';
import { TooltipProvider } from '../../ui/tooltip.tsx';

import {
  CheckButton,
  ClaimsPanel,
  ClaimsSummary,
  hasSources,
  ReplyText,
  useClaimsPlace,
} from './index.tsx';
import { spansOf } from './rehype-claims.ts';

const FILE = 'f'.repeat(24);
const TEXT =
  '# The lease\n\nThe **rent** is 900 euros [1](#source=ffffffffffffffffffffffff,2,0,9). It is \\_due\\_ in May.\n\n- Pets are allowed.\n\n```\nThe rent is 900 euros.\n```';

function claim(id: string, sentence: string, changes: Partial<ReplyClaim> = {}): ReplyClaim {
  const start = TEXT.indexOf(sentence);
  return {
    id,
    start,
    end: start + sentence.length,
    text: sentence.replace(/[*\\]/g, ''),
    verdict: 'supported',
    evidence: [
      {
        quote: 'The rent is 900 euros a month.',
        source: {
          kind: 'file',
          fileId: FILE,
          fileName: 'lease.pdf',
          page: 2,
          pageLabel: 'iv',
          start: 5,
          end: 35,
        },
      },
    ],
    ...changes,
  };
}

const RENT = claim('c1', 'The **rent** is 900 euros [1](#source=ffffffffffffffffffffffff,2,0,9).');
const MAY = claim('c2', 'It is \\_due\\_ in May.', { verdict: 'contradicted' });
const PETS = claim('c3', 'Pets are allowed.', {
  verdict: 'unsupported',
  reason: 'no_evidence',
  evidence: [],
});
const checkOf = (changes: Partial<ClaimsCheck> = {}): ClaimsCheck => ({
  state: 'checked',
  at: '2026-11-22T10:00:00.000Z',
  claims: [RENT, MAY, PETS],
  tokens: 1_234,
  ...changes,
});
const replyOf = (claims?: ClaimsCheck): Reply => ({
  id: 'a'.repeat(24),
  conversationId: 'c'.repeat(24),
  parentId: 'b'.repeat(24),
  siblingIds: ['a'.repeat(24)],
  role: 'assistant',
  content: TEXT,
  createdAt: '2026-11-22T10:00:00.000Z',
  status: 'complete',
  attempt: 1,
  parts: [{ type: 'text', text: TEXT }],
  ...(claims && { metadata: { claims } }),
});
const show = (element: React.ReactElement) =>
  render(<QueryClientProvider client={queryClient}>{element}</QueryClientProvider>, {
    wrapper: TooltipProvider,
  });

// Loaded at first use; how long that takes is not tested.
beforeAll(() => import('./parts.ts').then(() => undefined));
afterEach(() => {
  history.replaceState(null, '', '/');
  clearThreadTarget();
});

it('underlines each claim in the pattern of its verdict, and nothing else', async () => {
  const { container } = show(<ReplyText text={TEXT} start={0} check={checkOf()} />);
  await screen.findByRole('button', { name: /^Supported/ });
  const marked = (verdict: string) =>
    [...container.querySelectorAll(`.claim-${verdict}`)].map((mark) => mark.textContent).join('|');
  expect(marked('supported')).toBe('The |rent| is 900 euros |.');
  expect(marked('contradicted')).toBe('It is _due_ in May.');
  expect(marked('unsupported')).toBe('Pets are allowed.');
  expect(container.querySelector('pre')?.textContent).toContain('The rent is 900 euros.');
  expect(container.querySelector('pre .claim')).toBeNull();
  expect(screen.getAllByRole('button', { name: /source/ })).toHaveLength(3);
});

it('a claim shows its quotation, which opens the source at its place', async () => {
  show(<ReplyText text={TEXT} start={0} check={checkOf()} />);
  const user = userEvent.setup();
  await user.click(await screen.findByText('It is _due_ in May.'));
  const panel = await screen.findByRole('dialog', { name: 'Contradicted' });
  await user.click(
    within(panel).getByRole('button', { name: /lease\.pdf, page 2 \(printed iv\)/ }),
  );
  expect(location.search).toBe(`?file=${FILE}&page=2&mark=5-35`);
});

it('a mark shows the worst verdict of its sentence, at its place in a later part', () => {
  const both = [RENT, { ...RENT, id: 'c9', verdict: 'contradicted' as const }];
  expect(spansOf(both, 10, TEXT.length)).toEqual([
    { start: RENT.start - 10, end: RENT.end - 10, ids: ['c1', 'c9'], verdict: 'contradicted' },
  ]);
  expect(spansOf(both, RENT.start + 1, TEXT.length)).toEqual([]);
});

it('the summary counts the verdicts and opens the list beside the chat, and closes it', async () => {
  const reply = replyOf(checkOf({ state: 'partial', problem: 'limit' }));
  show(<ClaimsSummary reply={reply} />);
  const chip = await screen.findByRole('button', { name: /Claims of this reply/ });
  expect(chip.textContent).toBe('Claims of this reply1 contradicted1 unsupported1 supported');
  screen.getByText(/^Only a part was compared/);
  await userEvent.click(chip);
  expect(location.search).toBe(`?claims=${reply.id}`);
  expect(chip.getAttribute('aria-expanded')).toBe('true');
  await userEvent.click(chip);
  expect(location.search).toBe('');
});

const openList = async (check: ClaimsCheck | undefined) => {
  const { id } = replyOf();
  show(<ClaimsPanel replyId={id} check={check} isPending={false} />);
  return within(await screen.findByRole('complementary', { name: 'Claims of this reply' }));
};

it('the list has contradicted claims first, then unsupported and supported ones, with reasons and the charge', async () => {
  const list = await openList(checkOf());
  expect(list.getAllByRole('heading', { level: 3 }).map((it) => it.textContent)).toEqual([
    '1 contradicted',
    '1 unsupported',
    '1 supported',
  ]);
  list.getByText('No source says this.');
  list.getByText('This check used 1,234 tokens.');
  expect(document.body.textContent).not.toMatch(/\btrue\b/i);
});

it('a claim that a rule refused says what was not found, in the text, the summary, the list and its window', async () => {
  const year = { ...PETS, reason: 'number_not_in_source' as const };
  const tenant = {
    ...MAY,
    verdict: 'unsupported' as const,
    reason: 'name_not_in_source' as const,
    evidence: [],
  };
  const check = checkOf({ claims: [RENT, year, tenant] });
  show(<ClaimsSummary reply={replyOf(check)} />);
  const chip = await screen.findByRole('button', { name: /Claims of this reply/ });
  expect(chip.textContent).toBe(
    'Claims of this reply1 with a number not found1 with a name not found1 supported',
  );
  const list = await openList(check);
  expect(list.getAllByRole('heading', { level: 3 }).map((it) => it.textContent)).toEqual([
    '1 with a number not found',
    '1 with a name not found',
    '1 supported',
  ]);
  const { container } = show(<ReplyText text={TEXT} start={0} check={check} />);
  const mark = await screen.findByRole('button', { name: /^A number not found in the source/ });
  expect(container.querySelectorAll('.claim-unsupported')).toHaveLength(2);
  await userEvent.click(mark);
  within(await screen.findByRole('dialog', { name: 'Number not found' })).getByText(
    'A number or date in it is not in the quoted source.',
  );
  expect(document.body.textContent).not.toMatch(/\d unsupported/);
});

it('a claim of the list leads to its sentence, and its source to the passage', async () => {
  const target = renderHook(() => useThreadTarget()).result;
  const list = await openList(checkOf());
  await userEvent.click(list.getByRole('button', { name: 'Pets are allowed.' }));
  expect(target.current).toMatchObject({
    messageId: 'a'.repeat(24),
    within: '[data-claims~="c3"]',
  });
  await userEvent.click(
    list.getAllByRole('button', { name: /lease\.pdf, page 2 \(printed iv\)/ })[0] as Element,
  );
  expect(location.search).toBe(`?file=${FILE}&page=2&mark=5-35`);
});

it('closing the list gives the focus back, on narrow screens too', async () => {
  const reply = replyOf(checkOf());
  const Reply = () => (
    <>
      <ClaimsSummary reply={reply} />
      {useClaimsPlace() && (
        <ClaimsPanel replyId={reply.id} check={reply.metadata?.claims} isPending={false} />
      )}
    </>
  );
  vi.spyOn(window, 'matchMedia').mockReturnValue({
    matches: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  } as unknown as MediaQueryList);
  show(<Reply />);
  const chip = await screen.findByRole('button', { name: /Claims of this reply/ });
  await userEvent.click(chip);
  await screen.findByRole('dialog', { name: 'Claims of this reply' });
  await userEvent.click(screen.getByRole('button', { name: 'Back' }));
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(document.activeElement).toBe(chip);
});

it('says that a reply with an open list is not among the messages that are shown', async () => {
  const list = await openList(undefined);
  expect(list.getByText(/^This reply is not in the part of the conversation/)).toBeDefined();
});

it.each([
  ['checking', undefined, 'Comparing with the sources…'],
  ['not_checked', 'no_source', /^Not checked: this conversation has no files/],
  ['not_checked', 'quota', /^Not checked: there are not enough tokens/],
  ['checked', 'no_claims', /^Not checked: this reply states nothing/],
] as const)('says that a check is %s (%s)', async (state, problem, text) => {
  const check = checkOf({ state, claims: [], tokens: 0, ...(problem && { problem }) });
  show(<ClaimsSummary reply={replyOf(check)} />);
  expect(await screen.findByText(text)).toBeDefined();
});

it('asks for a check and shows that it runs', async () => {
  const reply = replyOf();
  queryClient.setQueryData(messagesKey(reply.conversationId), [reply]);
  const checking = replyOf(checkOf({ state: 'checking', claims: [], tokens: 0 }));
  const { asked } = fakeServer({
    [`POST /api/replies/${reply.id}/check`]: { status: 202, body: { reply: checking } },
  });
  show(<CheckButton reply={reply} hasSources={false} />);
  await userEvent.click(await screen.findByRole('button', { name: 'Check against sources' }));
  await waitFor(() =>
    expect(queryClient.getQueryData(messagesKey(reply.conversationId))).toEqual([checking]),
  );
  expect(asked).toHaveLength(1);
});

it('offers no check of a reply of the depth Fast', async () => {
  const receipt = {
    model: 'm',
    parameter: null,
    reasoningTokens: null,
    firstTokenMs: 1,
    totalMs: 1,
  };
  const written = (requested: Depth): Reply => ({
    ...replyOf(),
    metadata: { depthReceipt: { ...receipt, requested, applied: requested } },
  });
  const { rerender } = show(<CheckButton reply={written('balanced')} hasSources />);
  await screen.findByRole('button', { name: 'Check against sources' });
  rerender(
    <QueryClientProvider client={queryClient}>
      <CheckButton reply={written('fast')} hasSources />
    </QueryClientProvider>,
  );
  expect(screen.queryByRole('button')).toBeNull();
});

it('names the check where there are sources, and is an icon where there are none', async () => {
  const { rerender } = show(<CheckButton reply={replyOf()} hasSources />);
  const button = () => screen.findByRole('button', { name: 'Check against sources' });
  expect((await button()).textContent).toBe('Check against sources');
  rerender(
    <QueryClientProvider client={queryClient}>
      <CheckButton reply={replyOf()} hasSources={false} />
    </QueryClientProvider>,
  );
  expect((await button()).textContent).toBe('');
});

it.each<[MessageMetadata | undefined, boolean]>([
  [undefined, false],
  [{ files: [] }, false],
  [{ files: [{ name: 'lease.pdf' }] }, true],
  [{ pastes: [{ start: 0, end: 9 }] }, true],
])('knows whether messages with %j have sources', (metadata, expected) => {
  const messages = [replyOf(), { ...replyOf(), ...(metadata && { metadata }) }];
  expect(hasSources(messages)).toBe(expected);
});

it('offers no check of a reply that has one', async () => {
  const { container } = show(<CheckButton reply={replyOf(checkOf())} hasSources />);
  await waitFor(() => expect(container.querySelector('span')).toBeNull());
  expect(screen.queryByRole('button')).toBeNull();
});
