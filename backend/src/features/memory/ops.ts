import * as z from 'zod';
import { MAX_MEMORY_LENGTH, MEMORY_KINDS, type MemoryRefusal } from '../../contract/memory.ts';
import { findQuote, type Range } from './typed.ts';

export const MAX_OPS = 3;
/** Shorter quotes occur in any text. */
const MIN_QUOTE_LENGTH = 4;

/** The schema of the model's proposal; all fields are required. */
export const MemoryOps = z.object({
  ops: z.array(
    z.object({
      op: z.enum(['add', 'update', 'remove']),
      targetId: z.string().nullable(),
      text: z.string(),
      kind: z.enum(MEMORY_KINDS),
      quote: z.string(),
    }),
  ),
});
export type ProposedOp = z.infer<typeof MemoryOps>['ops'][number];

export interface Said {
  /** The whole message. */
  content: string;
  /** The ranges that the user typed. */
  typed: readonly Range[];
  /** Ids of the memories that may be changed. */
  targets: ReadonlySet<string>;
}

/** An operation with a quote that the user typed. */
export interface AcceptedOp extends ProposedOp {
  range: Range;
}

/** Judges a proposal by the user's message, without a model. */
export function judgeOp(op: ProposedOp, said: Said): AcceptedOp | MemoryRefusal {
  const quote = op.quote.trim();
  const text = op.text.trim();
  const range =
    quote.length < MIN_QUOTE_LENGTH ? undefined : findQuote(said.content, said.typed, quote);
  if (!range) return 'not_said';
  if (op.op !== 'add' && !said.targets.has(op.targetId ?? '')) return 'no_target';
  if (op.op === 'remove') return { ...op, text, quote, range };
  if (text === '' || text.length > MAX_MEMORY_LENGTH || !isCovered(text, quote))
    return 'not_in_quote';
  return { ...op, text, quote, range };
}

/** Numbers, host names and email addresses of a memory have to come from the user's words. */
function isCovered(text: string, quote: string): boolean {
  const claims = text.match(/\d[\d.,:/-]*\d|\d|\S+@\S+|\S+\/\/\S+|\p{L}+\.\p{L}{2,}\S*/gu) ?? [];
  return claims.every((claim) => quote.includes(claim.replace(/(?<![.,:;!?)])[.,:;!?)]+$/, '')));
}
