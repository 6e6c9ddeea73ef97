import { t } from 'virtual:texts/claims';
import type { ClaimsCheck, Reply } from '@stolas/backend/contract';
import { useEffect } from 'react';
import { queryClient } from '../../lib/query-client.ts';
import { messagesKey } from '../../realtime/index.ts';
import { cn } from '../../ui/cn.ts';
import { CHIP } from '../../ui/popover-chip.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { VerdictIcon } from './claim-list.tsx';
import { closeClaims, openClaims, useClaimsPlace } from './place.ts';
import { COUNTS, countOf, stateText } from './state-text.ts';
import { KINDS, verdictOf } from './verdicts.ts';

/** How often the reply is read again while its check runs: the event that ends it may be lost. */
const READ_AGAIN_MS = 4_000;

/** Below a reply: how many claims have which verdict, and how far the check went. Opens the list of claims beside the chat. */
export function Summary({ reply, check }: { reply: Reply; check: ClaimsCheck }) {
  const isOpen = useClaimsPlace() === reply.id;
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
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => (isOpen ? closeClaims() : openClaims(reply.id))}
        className={cn(CHIP, 'flex-wrap gap-x-3 gap-y-1')}
      >
        <span className="sr-only">{t('summary')}</span>
        {KINDS.map((kind) => ({ kind, count: countOf(check, kind) }))
          .filter(({ count }) => count > 0)
          .map(({ kind, count }) => (
            <span key={kind} className="inline-flex items-center gap-1">
              <VerdictIcon verdict={verdictOf(kind)} className="size-3.5" />
              {t(COUNTS[kind], { count })}
            </span>
          ))}
      </button>
      {check.state === 'partial' && <p className="text-xs text-muted">{stateText(check)}</p>}
    </div>
  );
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
