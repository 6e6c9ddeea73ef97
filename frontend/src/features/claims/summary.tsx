import { t } from 'virtual:texts/claims';
import type { ClaimsCheck, ClaimVerdict, Reply } from '@stolas/backend/contract';
import { useEffect } from 'react';
import { formatNumber } from '../../lib/number.ts';
import { queryClient } from '../../lib/query-client.ts';
import { messagesKey } from '../../realtime/index.ts';
import { PopoverChip } from '../../ui/popover-chip.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { ClaimList, VerdictIcon } from './claim-list.tsx';
import { VERDICTS } from './verdicts.ts';

/** How often the reply is read again while its check runs: the event that ends it may be lost. */
const READ_AGAIN_MS = 4_000;

const COUNTS = {
  supported: 'countSupported',
  contradicted: 'countContradicted',
  unsupported: 'countUnsupported',
  not_checkable: 'countNotCheckable',
} as const satisfies Record<ClaimVerdict, string>;

/** Below a reply: how many claims have which verdict, and how far the check went. Opens the list of claims. */
export function Summary({ reply, check }: { reply: Reply; check: ClaimsCheck }) {
  useReadAgain(reply.conversationId, check.state === 'checking');
  if (check.state === 'checking')
    return (
      <output className="mt-4 flex items-center gap-2 text-xs text-muted">
        <Spinner className="size-3.5" />
        {t('checking')}
      </output>
    );
  if (check.claims.length === 0)
    return <p className="mt-4 text-xs text-muted">{stateText(check)}</p>;
  return (
    <div className="mt-4 flex flex-wrap items-center gap-x-3 gap-y-1">
      <PopoverChip
        label={t('summary')}
        className="flex-wrap gap-x-3 gap-y-1"
        panelClassName="w-96"
        panel={
          <>
            <ClaimList claims={check.claims} />
            <div className="grid gap-1 border-t border-line pt-3 text-xs text-muted">
              <p>{stateText(check)}</p>
              <p>{t('tokens', { tokens: formatNumber(check.tokens) })}</p>
              <p>{t('aboutVerdicts')}</p>
            </div>
          </>
        }
      >
        <span className="sr-only">{t('summary')}</span>
        {VERDICTS.map((verdict) => ({ verdict, count: countOf(check, verdict) }))
          .filter(({ count }) => count > 0)
          .map(({ verdict, count }) => (
            <span key={verdict} className="inline-flex items-center gap-1">
              <VerdictIcon verdict={verdict} className="size-3.5" />
              {t(COUNTS[verdict], { count })}
            </span>
          ))}
      </PopoverChip>
      {check.state === 'partial' && <p className="text-xs text-muted">{stateText(check)}</p>}
    </div>
  );
}

const countOf = ({ claims }: ClaimsCheck, verdict: ClaimVerdict): number =>
  claims.filter((claim) => claim.verdict === verdict).length;

function stateText({ state, problem }: ClaimsCheck): string {
  if (state === 'checked' && problem !== 'no_claims') return t('checkedState');
  if (state === 'partial') return problem === 'limit' ? t('partialLimit') : t('partialModel');
  if (problem === 'no_source') return t('notCheckedSource');
  if (problem === 'quota') return t('notCheckedQuota');
  if (problem === 'limit') return t('notCheckedLimit');
  return problem === 'model' ? t('notCheckedModel') : t('notCheckedClaims');
}

function useReadAgain(conversationId: string, isChecking: boolean): void {
  useEffect(() => {
    if (!isChecking) return undefined;
    const timer = setInterval(
      () => void queryClient.invalidateQueries({ queryKey: messagesKey(conversationId) }),
      READ_AGAIN_MS,
    );
    return () => clearInterval(timer);
  }, [conversationId, isChecking]);
}
