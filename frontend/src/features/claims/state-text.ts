import { t } from 'virtual:texts/claims';
import type { ClaimsCheck } from '@stolas/backend/contract';
import { type ClaimKind, kindOf } from './verdicts.ts';

export const COUNTS = {
  supported: 'countSupported',
  contradicted: 'countContradicted',
  number_not_in_source: 'countNumberNotFound',
  name_not_in_source: 'countNameNotFound',
  unsupported: 'countUnsupported',
  not_checkable: 'countNotCheckable',
} as const satisfies Record<ClaimKind, string>;

export const countOf = ({ claims }: ClaimsCheck, kind: ClaimKind): number =>
  claims.filter((claim) => kindOf(claim) === kind).length;

/** How far a check went, and why no further. */
export function stateText({ state, problem }: ClaimsCheck): string {
  if (state === 'checked' && problem !== 'no_claims') return t('checkedState');
  if (state === 'partial') return problem === 'limit' ? t('partialLimit') : t('partialModel');
  if (problem === 'no_source') return t('notCheckedSource');
  if (problem === 'quota') return t('notCheckedQuota');
  if (problem === 'limit') return t('notCheckedLimit');
  return problem === 'model' ? t('notCheckedModel') : t('notCheckedClaims');
}
