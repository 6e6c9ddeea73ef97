import { t } from 'virtual:texts/claims';
import type {
  ClaimEvidence,
  ClaimSource,
  ClaimVerdict,
  ReplyClaim,
} from '@stolas/backend/contract';
import { CircleCheck, CircleDashed, CircleHelp, CircleX } from 'lucide-react';
import { showInThread } from '../../lib/thread-target.ts';
import { cn } from '../../ui/cn.ts';
import { pageNumber } from '../../ui/page-number.ts';
import { openFile } from '../files/index.ts';
import { leaveBySource } from './place.ts';
import { kindOf } from './verdicts.ts';

const ICONS = {
  supported: CircleCheck,
  contradicted: CircleX,
  unsupported: CircleDashed,
  not_checkable: CircleHelp,
} satisfies Record<ClaimVerdict, unknown>;
const COLOURS: Record<ClaimVerdict, string> = {
  supported: 'text-success',
  contradicted: 'text-danger',
  unsupported: 'text-accent',
  not_checkable: 'text-muted',
};

/** The sign of a verdict; the name stands beside it or on its button. */
export function VerdictIcon({ verdict, className }: { verdict: ClaimVerdict; className?: string }) {
  const Icon = ICONS[verdict];
  return <Icon aria-hidden="true" className={cn('shrink-0', COLOURS[verdict], className)} />;
}

/** Claims with their quotations, which open the source at its place. */
export const ClaimList = ({ claims }: { claims: readonly ReplyClaim[] }) => (
  <ul className="grid gap-4">
    {claims.map((claim) => (
      <li key={claim.id} className="grid gap-1.5">
        <p className="flex items-center gap-1.5 text-xs font-semibold">
          <VerdictIcon verdict={claim.verdict} className="size-4" />
          {t(kindOf(claim))}
        </p>
        <p dir="auto" className="text-sm break-words">
          {claim.text}
        </p>
        <ClaimSources claim={claim} />
      </li>
    ))}
  </ul>
);

/** Why a claim has its verdict: the reason, and the quotations. */
export const ClaimSources = ({ claim: { id, reason, evidence } }: { claim: ReplyClaim }) => (
  <>
    {reason && <p className="text-xs text-muted">{t(`reason_${reason}`)}</p>}
    {evidence.map((it, n) => (
      <QuoteButton key={JSON.stringify(it.source)} sourceKey={`${id}-${n}`} {...it} />
    ))}
  </>
);

const QuoteButton = ({ quote, source, sourceKey }: ClaimEvidence & { sourceKey: string }) => (
  <button
    type="button"
    data-source={sourceKey}
    onClick={() => {
      leaveBySource(sourceKey);
      openSource(source);
    }}
    className="grid gap-1 rounded-sm border border-line bg-surface p-3 text-start text-sm transition-colors duration-150 ease-out hover:bg-hover"
  >
    <span dir="auto" className="line-clamp-5 break-words">
      “{quote}”
    </span>
    <span className="text-xs break-words text-muted">
      {source.kind === 'file'
        ? t('openFile', {
            file: source.fileName,
            page: pageNumber({ page: source.page, label: source.pageLabel }),
          })
        : t('openMessage')}
    </span>
  </button>
);

function openSource(source: ClaimSource): void {
  if (source.kind === 'message') {
    showInThread({ messageId: source.messageId });
    return;
  }
  const { fileId, page, start, end } = source;
  openFile({ fileId, page, mark: { start, end } });
}
