import { t } from 'virtual:texts/claims';
import type { ClaimsCheck, ClaimVerdict } from '@stolas/backend/contract';

export const COUNTS = {
  supported: 'countSupported',
  contradicted: 'countContradicted',
  unsupported: 'countUnsupported',
  not_checkable: 'countNotCheckable',
} as const satisfies Record<ClaimVerdict, string>;

export const countOf = ({ claims }: ClaimsCheck, verdict: ClaimVerdict): number =>
  claims.filter((claim) => claim.verdict === verdict).length;

/** How far a check went, and why no further. */
export function stateText({ state, problem }: ClaimsCheck): string {
  if (state === 'checked' && problem !== 'no_claims') return t('checkedState');
  if (state === 'partial') return problem === 'limit' ? t('partialLimit') : t('partialModel');
  if (problem === 'no_source') return t('notCheckedSource');
  if (problem === 'quota') return t('notCheckedQuota');
  if (problem === 'limit') return t('notCheckedLimit');
  return problem === 'model' ? t('notCheckedModel') : t('notCheckedClaims');
}
