import type { ClaimVerdict, ReplyClaim } from '@stolas/backend/contract';

/** The most severe first: the mark of a sentence with several claims shows it. */
export const VERDICTS: readonly ClaimVerdict[] = [
  'contradicted',
  'unsupported',
  'supported',
  'not_checkable',
];

export const worstOf = (claims: readonly ReplyClaim[]): ClaimVerdict =>
  VERDICTS.find((verdict) => claims.some((claim) => claim.verdict === verdict)) ?? 'not_checkable';
