import { t } from 'virtual:texts/chat';
import { describeQueue } from './queue-position.ts';

/** Shown from the send to the first token (docs/product.md, 'Sending and receiving'). */
export const TypingIndicator = ({ ahead }: { ahead?: number | undefined }) => (
  <div className="flex min-h-6.5 items-center gap-1.5" data-typing>
    <span className="sr-only">{t('isThinking')}</span>
    {[0, 1, 2].map((dot) => (
      <span
        key={dot}
        aria-hidden="true"
        className="size-1.5 shrink-0 animate-shimmer rounded-full bg-muted"
        style={{ animationDelay: `${dot * 180}ms` }}
      />
    ))}
    {ahead !== undefined && (
      <span className="ms-1.5 text-sm text-muted tabular-nums">{describeQueue(ahead)}</span>
    )}
  </div>
);
