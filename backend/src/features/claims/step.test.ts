import { describe, expect, it } from 'vitest';
import { AppError } from '../../errors.ts';
import type { JsonModel } from '../../llm/index.ts';
import { ownPayer } from '../payer.ts';
import { createClaimsFeature, type Others } from './feature.ts';
import { claimsStep } from './step.ts';

const OWNER = 'a'.repeat(24);
const FILE = 'f'.repeat(24);
const settings = { persona: null, depth: 'balanced', memory: 'on', temporary: false } as const;
const LEASE = 'The rent is 900 euros a month.';

interface Setup {
  path?: { id: string; role: 'user' | 'assistant'; content: string; fileIds?: string[] }[];
  refuse?: AppError;
  /** The failure of the model's calls. */
  failure?: Error;
}

interface Run {
  depth?: 'balanced' | 'deep';
  number?: number;
}

function setup({
  path = [{ id: 'm1', role: 'user', content: 'What is the rent?', fileIds: [FILE] }],
  refuse,
  failure,
}: Setup = {}) {
  const calls: { name: string; user: string }[] = [];
  const usage: unknown[] = [];
  const jsonModel: Pick<JsonModel, 'answer' | 'model'> = {
    model: 'test',
    answer: async ({ name, schema, messages }) => {
      calls.push({ name, user: messages[1]?.content ?? '' });
      if (failure) throw failure;
      const value =
        name === 'claim_extraction'
          ? { claims: [{ id: 'c1', sentence: 1, text: LEASE, checkable: true, reason: '' }] }
          : {
              verdicts: [
                {
                  claimId: 'c1',
                  relation: 'supports',
                  evidence: [{ passageId: 'p1', quote: LEASE }],
                },
              ],
            };
      const counted = {
        promptTokens: 100,
        cachedTokens: 0,
        completionTokens: 20,
        reasoningTokens: 0,
      };
      return { value: schema.parse(value), usage: { ...counted, model: 'test-1' }, calls: 1 };
    },
  };
  const others: Others = {
    usage: {
      reserve: async (ownerId, { promptTokens, replyTokens, ...key }) => {
        if (refuse) throw refuse;
        usage.push(['reserve', ownerId, key, promptTokens > 0 && replyTokens > 0]);
        return { promptTokens, replyTokens };
      },
      settle: async (ownerId, key, used) => void usage.push(['settle', ownerId, key, used]),
      release: async (ownerId, key) => void usage.push(['release', ownerId, key]),
    },
    chat: {
      requestStep: () => Promise.reject(new Error('No check is requested here.')),
      messages: {
        path: async () =>
          path.map(({ fileIds = [], ...message }) => ({
            ...message,
            metadata: { files: fileIds.map((id) => ({ id })) },
          })),
      },
    },
    files: {
      findMany: async (_, ids) => ids.map((id) => ({ id, state: 'ready' })) as never,
      evidenceFor: async ({ fileIds, notes, statements }) =>
        statements.map(() => [
          ...fileIds.map((fileId) => ({
            origin: { kind: 'file' as const, fileId, fileName: 'lease.pdf' },
            page: 1,
            start: 0,
            end: LEASE.length,
            text: LEASE,
          })),
          ...notes.map(({ id, text }) => ({
            origin: { kind: 'note' as const, id },
            page: 1,
            start: 0,
            end: text.length,
            text,
          })),
        ]),
    },
  };
  const now = () => new Date('2026-11-22T10:00:00Z');
  const step = claimsStep(createClaimsFeature({ now }, others), jsonModel);
  const run = (content = LEASE, { depth = 'balanced', number = 3 }: Run = {}) =>
    step.run({
      ownerId: OWNER,
      payer: ownPayer(OWNER),
      conversationId: 'c',
      run: number,
      message: { id: 'm1', content: '', createdAt: new Date() },
      reply: { id: 'r', attempt: 2, content, settings: { ...settings, depth } },
      signal: new AbortController().signal,
    });
  return { run, step, calls, usage };
}

describe('the check of a reply', () => {
  it('is reserved and charged as a separate kind', async () => {
    const { run, usage } = setup();
    expect(await run()).toMatchObject({
      claims: {
        state: 'checked',
        at: '2026-11-22T10:00:00.000Z',
        tokens: 240,
        claims: [{ verdict: 'supported', start: 0, end: LEASE.length }],
      },
    });
    const key = { replyId: 'r', attempt: 2, kind: 'check', run: 3 };
    expect(usage).toMatchObject([
      ['reserve', ownPayer(OWNER), key, true],
      [
        'settle',
        ownPayer(OWNER),
        key,
        { promptTokens: 200, completionTokens: 40, model: 'test-1' },
      ],
    ]);
  });

  it('reads the beginning of a reply of any length', async () => {
    const { run, calls } = setup();
    await run(`${LEASE}\n\n${`${LEASE}\n`.repeat(70_000)}The deposit is 2,700 euros.`);
    const [{ user: read } = { user: '' }] = calls;
    expect([read.includes(LEASE), read.includes('deposit'), read.length < 200_000]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it.each([
    [
      'without a source',
      { path: [{ id: 'm1', role: 'user' as const, content: 'What is the rent?' }] },
      LEASE,
      'no_source',
    ],
    [
      'with nothing but an earlier reply',
      {
        path: [
          { id: 'r0', role: 'assistant' as const, content: LEASE },
          { id: 'm1', role: 'user' as const, content: 'Is that so?' },
        ],
      },
      LEASE,
      'no_source',
    ],
    [
      'for a request',
      {
        path: [
          { id: 'm0', role: 'user' as const, content: 'Tell me about the history of Lisbon.' },
          { id: 'm1', role: 'user' as const, content: 'Schreibe ein kurzes Gedicht über Eulen.' },
        ],
      },
      LEASE,
      'no_source',
    ],
    [
      'of a reply that states nothing',
      {},
      '# The rent\n\n```\nThe rent is 900.\n```\nIs it?',
      'no_claims',
    ],
    ['without quota', { refuse: new AppError('quota_exceeded', 'Used up.') }, LEASE, 'quota'],
  ])('makes no call %s, and reports that', async (_, given, content, problem) => {
    const { run, calls, usage } = setup(given);
    expect(await run(content)).toMatchObject({
      claims: { state: 'not_checked', problem, claims: [], tokens: 0 },
    });
    expect([calls, usage]).toEqual([[], []]);
  });

  it('says nothing of a check without a source that the user has not requested', async () => {
    const { run } = setup({ path: [{ id: 'm1', role: 'user', content: 'What is the rent?' }] });
    expect(await run(LEASE, { depth: 'deep', number: 1 })).toBeUndefined();
    const reported = { claims: { problem: 'no_source' } };
    expect(await run(LEASE, { depth: 'deep', number: 2 })).toMatchObject(reported);
    expect(await run(LEASE, { depth: 'balanced', number: 1 })).toMatchObject(reported);
  });

  it('is made automatically after a deep reply only', () => {
    const { step } = setup();
    const needs = (depth: 'fast' | 'balanced' | 'deep') =>
      step.isNeeded?.({ content: LEASE, settings: { ...settings, depth } });
    expect([needs('fast'), needs('balanced'), needs('deep')]).toEqual([false, false, true]);
  });

  it('is retried later when the quota cannot be read', async () => {
    const { run } = setup({ refuse: new AppError('unavailable', 'Later.') });
    await expect(run()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('that fails reserves nothing until it is retried', async () => {
    const { run, usage } = setup({ failure: new Error('The worker stops.') });
    await expect(run()).rejects.toThrow('The worker stops.');
    const key = { replyId: 'r', attempt: 2, kind: 'check', run: 3 };
    expect(usage).toEqual([
      ['reserve', ownPayer(OWNER), key, true],
      ['release', ownPayer(OWNER), key],
    ]);
  });

  it("compares with the user's quotations, never with a request or an earlier reply", async () => {
    const { run, calls } = setup({
      path: [
        { id: 'm0', role: 'user', content: 'Keep it short.\n> My rent is 900 euros.' },
        { id: 'r0', role: 'assistant', content: 'Owls hoot at night.' },
        { id: 'm1', role: 'user', content: 'What do I pay?' },
      ],
    });
    await run();
    expect(calls[1]?.user).toContain('My rent is 900 euros.');
    expect(calls[1]?.user).not.toContain('Keep it short');
    expect(calls[1]?.user).not.toContain('Owls');
    expect(calls[1]?.user).not.toContain('What do I pay');
  });
});
