import { t } from 'virtual:texts/claims';
import type { ClaimsCheck, ReplyClaim } from '@stolas/backend/contract';
import { useEffect, useRef } from 'react';
import { formatNumber } from '../../lib/number.ts';
import { showInThread } from '../../lib/thread-target.ts';
import { PanelHeader, SidePanel, useIsWide } from '../../ui/side-panel.tsx';
import { useViewerWidth } from '../files/index.ts';
import { ClaimSources, VerdictIcon } from './claim-list.tsx';
import { closeClaims, leftBySource, takeFocus } from './place.ts';
import { COUNTS, countOf, stateText } from './state-text.ts';
import { type ClaimKind, KINDS, kindOf, verdictOf } from './verdicts.ts';

interface PanelProps {
  replyId: string;
  /** Undefined when the reply is not among the messages that are loaded, or has not been checked. */
  check: ClaimsCheck | undefined;
  /** Whether it may still be among those that are being loaded. */
  isPending: boolean;
}

/** The claims of a reply, beside the chat so that they do not cover its text; on narrow screens in its place. */
export function Panel({ replyId, check, isPending }: PanelProps) {
  const { width } = useViewerWidth();
  return (
    <SidePanel label={t('summary')} onClose={closeClaims} width={width} takesFocus={takeFocus}>
      <PanelHeader title={t('summary')} onClose={closeClaims} />
      {check ? (
        <Claims replyId={replyId} check={check} />
      ) : (
        !isPending && (
          <p className="m-auto max-w-prose p-6 text-center text-muted text-sm">{t('notShown')}</p>
        )
      )}
    </SidePanel>
  );
}

function Claims({ replyId, check }: { replyId: string; check: ClaimsCheck }) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const key = leftBySource();
    const source = key && list.current?.querySelector(`[data-source="${CSS.escape(key)}"]`);
    if (source instanceof HTMLElement) source.focus();
  }, []);
  return (
    <div ref={list} className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-4">
      <div className="grid gap-6">
        {KINDS.filter((kind) => countOf(check, kind) > 0).map((kind) => (
          <Group key={kind} replyId={replyId} check={check} kind={kind} />
        ))}
        <div className="grid gap-1 mx-2 border-line border-t pt-3 text-muted text-xs">
          <p>{stateText(check)}</p>
          <p>{t('tokens', { tokens: formatNumber(check.tokens) })}</p>
          <p>{t('aboutVerdicts')}</p>
        </div>
      </div>
    </div>
  );
}

interface GroupProps {
  replyId: string;
  check: ClaimsCheck;
  kind: ClaimKind;
}

const Group = ({ replyId, check, kind }: GroupProps) => (
  <section aria-labelledby={`claims-${kind}`}>
    <h3 id={`claims-${kind}`} className="mb-2 flex items-center gap-1.5 px-2 font-semibold text-sm">
      <VerdictIcon verdict={verdictOf(kind)} className="size-4" />
      {t(COUNTS[kind], { count: countOf(check, kind) })}
    </h3>
    <ul className="grid gap-3">
      {check.claims
        .filter((claim) => kindOf(claim) === kind)
        .map((claim) => (
          <li key={claim.id} className="grid gap-1.5">
            <ClaimButton replyId={replyId} claim={claim} />
            <div className="grid gap-1.5 px-2">
              <ClaimSources claim={claim} />
            </div>
          </li>
        ))}
    </ul>
  </section>
);

/** Shows the sentence of a claim in its reply. */
function ClaimButton({ replyId, claim }: { replyId: string; claim: ReplyClaim }) {
  const isWide = useIsWide();
  const show = () => {
    // The panel covers the reply.
    if (!isWide) closeClaims();
    showInThread({
      messageId: replyId,
      within: `[data-claims~="${CSS.escape(claim.id)}"]`,
      keepsFocus: isWide,
    });
  };
  return (
    <button
      type="button"
      dir="auto"
      title={t('showSentence')}
      onClick={show}
      className="rounded-sm px-2 py-1 text-start text-sm break-words transition-colors duration-150 ease-out hover:bg-hover pointer-coarse:min-h-11"
    >
      {claim.text}
    </button>
  );
}
