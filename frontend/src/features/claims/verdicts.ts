import type { ClaimReason, ClaimVerdict, ReplyClaim } from '@stolas/backend/contract';

/** A rule that refuses a claim is shown by its finding, not as "unsupported". */
const FINDINGS = ['number_not_in_source', 'name_not_in_source'] as const satisfies ClaimReason[];

/** How a claim is shown: its verdict, or what was not found. */
export type ClaimKind = ClaimVerdict | (typeof FINDINGS)[number];

/** The most severe first: the mark of a sentence with several claims shows it. */
export const KINDS: readonly ClaimKind[] = [
  'contradicted',
  ...FINDINGS,
  'unsupported',
  'supported',
  'not_checkable',
];

export const kindOf = ({ verdict, reason }: ReplyClaim): ClaimKind =>
  FINDINGS.find((finding) => finding === reason) ?? verdict;

export const worstOf = (claims: readonly ReplyClaim[]): ClaimKind =>
  KINDS.find((kind) => claims.some((claim) => kindOf(claim) === kind)) ?? 'not_checkable';

/** The verdict whose sign and pattern a claim has. */
export const verdictOf = (kind: ClaimKind): ClaimVerdict =>
  kind === 'number_not_in_source' || kind === 'name_not_in_source' ? 'unsupported' : kind;
