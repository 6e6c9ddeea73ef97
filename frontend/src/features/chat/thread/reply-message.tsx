import type { Reply } from '@stolas/backend/contract';
import { memo, useEffect, useEffectEvent } from 'react';
import { hasGap, isActive, live, useReplyView } from '../../../realtime/index.ts';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import { Attachments } from './attachments.tsx';
import { ReplyLayout } from './message-frame.tsx';
import { ReplyFooter } from './reply-footer.tsx';
import { ReplyNotice, StillWorking } from './reply-notice.tsx';
import { TypingIndicator } from './typing-indicator.tsx';
import { useReveal } from './use-reveal.ts';

/** A reply while and after it is generated. Only the last one can change, so only that one listens. */
export const ReplyTurn = memo(function ReplyTurn({
  reply,
  isLast,
}: {
  reply: Reply;
  isLast: boolean;
}) {
  const { text, status, error, settled } = useLiveReply(reply, isLast);
  const ended = settled && !isActive(status);
  return (
    <article
      data-role="assistant"
      data-message-id={reply.id}
      // Outside readers take a terminal status for 'the whole text is here', so it waits for the typing.
      data-status={ended || isActive(status) ? status : 'streaming'}
      aria-busy={!ended}
      className="group/message"
    >
      <h3 className="sr-only">STOLAS replied</h3>
      <ReplyLayout busy={!ended}>
        <div dir="auto">
          {text !== '' && <Markdown text={text} streaming={!ended} />}
          {!ended && text === '' && <TypingIndicator />}
        </div>
        {reply.metadata && <Attachments metadata={reply.metadata} />}
        {isActive(status) && <StillWorking replyId={reply.id} />}
        {ended && status !== 'complete' && (
          <ReplyNotice reply={reply} status={status} error={error} canRetry={isLast} />
        )}
        {ended && <ReplyFooter reply={reply} text={text} />}
      </ReplyLayout>
    </article>
  );
});

function useLiveReply(reply: Reply, isLast: boolean) {
  const mayChange = isLast || isActive(reply.status);
  const view = useReplyView(mayChange ? reply.id : null);
  const { status, attempt, error } = view ?? reply;
  const whole = view?.text ?? reply.content;
  const missing = view !== undefined && hasGap(view);
  const active = isActive(status);

  // An attempt whose beginning is still missing: what is shown stays until its text is here.
  const unknown = missing && whole === '';
  const target = { text: whole, attempt, ended: !active && !missing };
  const text = useReveal(unknown ? null : target);

  const watch = useEffectEvent(() => live.watch(reply));
  useEffect(() => (active ? watch() : undefined), [active]);

  return { text, status, error, settled: !missing && text.length === whole.length };
}
