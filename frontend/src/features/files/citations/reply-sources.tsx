import { t } from 'virtual:texts/sources';
import type { FilesReceipt, InsightCard, MessageMetadata } from '@stolas/backend/contract';
import { useMemo, useState } from 'react';
import { rich } from '../../../i18n/rich.tsx';
import { fromServer } from '../../../i18n/translate.ts';
import { usePrinting } from '../../../lib/printing.ts';
import { Button } from '../../../ui/button.tsx';
import { ComparisonCard, QuoteCard } from './cards.tsx';
import { freshCards } from './fresh-cards.ts';

/** Cards beyond these are behind a button; paper has them all. */
const SHOWN = 3;

interface ReplySourcesProps {
  metadata: MessageMetadata;
  /** Of the reply. */
  text: string;
}

/** Below a reply: passages that it cites and does not quote, and the files that it was not given to read. */
export function ReplySources({
  metadata: { insightCards, filesReceipt },
  text,
}: ReplySourcesProps) {
  const cards = useMemo(() => freshCards(insightCards ?? [], text), [insightCards, text]);
  return (
    <>
      <Cards cards={cards} />
      <UnreadFiles receipt={filesReceipt ?? []} />
    </>
  );
}

function Cards({ cards }: { cards: readonly InsightCard[] }) {
  const [isOpen, setOpen] = useState(false);
  const { isPrinting } = usePrinting();
  if (cards.length === 0) return null;
  const shown = isOpen || isPrinting ? cards : cards.slice(0, SHOWN);
  return (
    <div className="mt-5 grid gap-2">
      <ul className="grid gap-2" aria-label={t('insights')}>
        {shown.map((card, i) => (
          <li key={i} className="min-w-0">
            {card.comparison ? (
              <ComparisonCard comparison={card.comparison} />
            ) : (
              <QuoteCard card={card} />
            )}
          </li>
        ))}
      </ul>
      {cards.length > SHOWN && (
        <Button
          size="sm"
          variant="ghost"
          className="justify-self-start"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? t('showFewer') : t('showAll', { count: cards.length })}
        </Button>
      )}
    </div>
  );
}

function UnreadFiles({ receipt }: { receipt: readonly FilesReceipt[] }) {
  const unread = receipt.filter(({ given }) => given === 'unread');
  if (unread.length === 0) return null;
  return (
    <p className="mt-3 text-xs break-words text-muted">
      {unread.map(({ fileId, name, reason }, i) => (
        <span key={fileId}>
          {i > 0 && ' · '}
          {rich(t('unreadFile', { reason: reason ? fromServer(reason) : t('unread') }), {
            name: <bdi>{name}</bdi>,
          })}
        </span>
      ))}
    </p>
  );
}
