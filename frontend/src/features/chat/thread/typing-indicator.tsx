import { t } from 'virtual:texts/chat';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { subscribeReply, viewOf } from '../../../realtime/index.ts';

/** A reply that has not started by then, and has no place in the queue, waits for a worker to exist. */
const WAITS_MS = 8_000;

/** Shown while a reply waits longer than usual although no other reply is before it. */
export function WaitsForStart() {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), WAITS_MS);
    return () => clearTimeout(timer);
  }, []);
  return isLate && <p className="text-sm text-muted">{t('waitsForStart')}</p>;
}

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

/** The place of a queued reply, in words of docs/product.md, 'Sending and receiving'. */
export function describeQueue(ahead: number): string {
  return ahead === 0 ? t('nextInQueue') : t('queuePosition', { ahead });
}

/** The announcements of the queue for screen readers: the first position, and when the reply is next. */
export function useQueueAnnouncement(replyId: string | undefined): string {
  const [said, setSaid] = useState<{ replyId?: string | undefined; text: string }>({ text: '' });
  const subscribe = useCallback(
    (listener: () => void) => subscribeReply(replyId ?? '', listener),
    [replyId],
  );
  const ahead = useSyncExternalStore(subscribe, () => viewOf(replyId ?? '')?.ahead);
  const isFirst = said.replyId !== replyId || said.text === '';
  const text =
    typeof ahead !== 'number' ? '' : isFirst || ahead === 0 ? describeQueue(ahead) : said.text;
  if (text !== said.text || replyId !== said.replyId) setSaid({ replyId, text });
  return text;
}
