import { t } from 'virtual:texts/chat';
import { useCallback, useState, useSyncExternalStore } from 'react';
import { subscribeReply, viewOf } from '../../../realtime/index.ts';

/** The place of a queued reply, in words of docs/product.md, 'Sending and receiving'. */
export function describeQueue(ahead: number): string {
  return ahead === 0 ? t('nextInQueue') : t('queuePosition', { ahead });
}

const never = () => () => {};

/** What screen readers hear of the queue: the first position, and when the reply is next. */
export function useQueueAnnouncement(replyId: string | undefined): string {
  const [said, setSaid] = useState<{ replyId?: string | undefined; text: string }>({ text: '' });
  const subscribe = useCallback(
    (listener: () => void) => (replyId ? subscribeReply(replyId, listener) : never()),
    [replyId],
  );
  const ahead = useSyncExternalStore(subscribe, () => replyId && viewOf(replyId)?.ahead);
  const isFirst = said.replyId !== replyId || said.text === '';
  const text =
    typeof ahead !== 'number' ? '' : isFirst || ahead === 0 ? describeQueue(ahead) : said.text;
  if (text !== said.text || replyId !== said.replyId) setSaid({ replyId, text });
  return text;
}
