import type { ContextReceipt } from '../../../contract/messages.ts';
import { countTokens } from '../../../llm/index.ts';
import type { ContextContributor, ContextInput, Contribution } from '../../context.ts';
import { maxPartTokens } from '../messages/index.ts';

/** What a contributor adds, as it stands in the prompt. */
export interface ContributedPart extends Contribution {
  part: ContextContributor['name'] | 'panel';
  tokens: number;
}

/** In the order of the prompt. */
const ORDER = ['persona', 'memory'] as const;
/** Asks all contributors at once, and keeps each within its limit. Those that take no part are left out. */
export async function contributedParts(
  contributors: readonly ContextContributor[],
  { budgetTokens, ...input }: ContextInput,
): Promise<ContributedPart[]> {
  const parts = await Promise.all(
    contributors.map(async ({ name: part, contribute }) => {
      const most = maxPartTokens(part, budgetTokens);
      const contribution = await contribute({ ...input, budgetTokens: most });
      return contribution && { part, ...contribution, ...(await within(contribution, most)) };
    }),
  );
  return ORDER.flatMap((name) => parts.find((part) => part?.part === name) ?? []);
}

/** What a call of a panel is told, within its limit. */
export async function panelPart(text: string, budgetTokens: number): Promise<ContributedPart[]> {
  if (text === '') return [];
  return [{ part: 'panel', ...(await within({ text }, maxPartTokens('panel', budgetTokens))) }];
}

const CUT = 'Its end was left out, because it is too long.';

async function within({ text, cut }: Contribution, most: number) {
  const tokens = await countTokens(text);
  if (tokens <= most) return { text, tokens, ...(cut && { cut }) };
  const kept = await beginningOf(text, { tokens, most });
  return { text: kept, tokens: await countTokens(kept), cut: cut ?? CUT };
}

/** As many whole lines of `text` as fit in `most` tokens; of a first line that is longer, its beginning. */
async function beginningOf(text: string, { tokens, most }: { tokens: number; most: number }) {
  let length = Math.floor((text.length * most) / tokens);
  for (;;) {
    const cut = text.slice(0, length);
    const lines = cut.slice(0, Math.max(0, cut.lastIndexOf('\n')));
    // Half a surrogate pair is not text.
    const kept = (lines || cut).trimEnd().replace(/[\uD800-\uDBFF]$/, '');
    if (kept === '' || (await countTokens(kept)) <= most) return kept;
    length = Math.floor(length * 0.9);
  }
}

type ReceiptPart = ContextReceipt['parts'][number];

/** What a prompt was made of. */
export interface ReceiptInput {
  budgetTokens: number;
  /** Tokens of the whole prompt. */
  tokens: number;
  systemTokens: number;
  contributed: readonly ContributedPart[];
  files?: { tokens: number; isCut: boolean } | undefined;
  history: { leftOut: number; isShortened: boolean };
}

/** The receipt of a prompt; undefined when it is nothing but the whole conversation. */
export function contextReceipt(input: ReceiptInput): ContextReceipt | undefined {
  const { budgetTokens, systemTokens, contributed, files } = input;
  const { leftOut } = input.history;
  const cutOfHistory = historyCut(input.history);
  if (contributed.length === 0 && !files && !cutOfHistory) return undefined;
  const given: ReceiptPart[] = [
    { part: 'system', tokens: systemTokens },
    ...contributed.map(({ part, tokens, cut }) => ({ part, tokens, ...(cut && { cut }) })),
    ...(files
      ? [{ part: 'files' as const, tokens: files.tokens, ...(files.isCut && { cut: FILES_CUT }) }]
      : []),
  ];
  const rest = given.reduce((left, { tokens }) => left - tokens, input.tokens);
  const history = { part: 'history' as const, tokens: Math.max(0, rest) };
  return {
    budgetTokens,
    parts: [...given, { ...history, ...(cutOfHistory && { cut: cutOfHistory, leftOut }) }],
  };
}

const FILES_CUT = 'Only the passages that fit the question were given.';

function historyCut({ leftOut, isShortened }: ReceiptInput['history']): string | undefined {
  if (isShortened) return 'The middle of the last message and all earlier messages were left out.';
  if (leftOut === 0) return undefined;
  return leftOut === 1
    ? 'The oldest message was left out.'
    : `The ${leftOut} oldest messages were left out.`;
}
