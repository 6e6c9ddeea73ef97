import { type Reply, withSourceList } from '@stolas/backend/contract';
import { memo, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { contentOf, isActive } from '../../../realtime/index.ts';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import {
  hideUnfinishedSource,
  MessageFiles,
  ReplySources,
  SourceLinks,
} from '../../files/index.ts';
import { ArtifactButtons } from '../artifacts/lazy.tsx';
import { LiveReply, type ShownReply } from './live-reply.ts';
import { ReplyLayout } from './message-frame.tsx';
import { Reasoning } from './reasoning.tsx';
import { ReplyFooter } from './reply-footer.tsx';
import { ReplyNotice, StillWorking } from './reply-notice.tsx';
import { TypingIndicator } from './typing-indicator.tsx';

interface ReplyMessageProps {
  reply: Reply;
  isLast: boolean;
}

/** A reply while and after it is generated. Only the last one can change, so only that one subscribes. */
export const ReplyMessage = memo(function ReplyMessage({ reply, isLast }: ReplyMessageProps) {
  const shown = useLiveReply(reply, isLast);
  const { parts, status, error, isEnded } = shown;
  const isEmpty = parts.length === 0;
  return (
    <article
      data-role="assistant"
      data-message-id={reply.id}
      // Tests and other readers of the page take a terminal status as 'the whole text is shown', so it is set only
      // then.
      data-status={isEnded || isActive(status) ? status : 'streaming'}
      aria-busy={!isEnded}
      className="group/message"
    >
      <h3 className="sr-only select-none">STOLAS replied</h3>
      <ReplyLayout busy={!isEnded && isEmpty}>
        <div dir="auto" className="reply">
          <SourceLinks citations={reply.metadata?.citations}>
            <ArtifactButtons reply={reply}>
              <Parts {...shown} />
            </ArtifactButtons>
          </SourceLinks>
          {!isEnded && isEmpty && <TypingIndicator ahead={shown.ahead} />}
        </div>
        <MessageFiles metadata={reply.metadata} />
        <ReplySources metadata={reply.metadata} />
        {isActive(status) && <StillWorking replyId={reply.id} />}
        {isEnded && status !== 'complete' && (
          <ReplyNotice reply={reply} status={status} error={error} canRetry={isLast} />
        )}
        {isEnded && (
          <ReplyFooter
            reply={reply}
            text={withSourceList(contentOf(parts), reply.metadata?.citations)}
          />
        )}
      </ReplyLayout>
    </article>
  );
});

function Parts({ parts, isEnded, isQuiet }: ShownReply) {
  return parts.map(({ type, text }, index) => {
    const streaming = !isEnded && index === parts.length - 1;
    return type === 'reasoning' ? (
      <Reasoning key={index} text={text} streaming={streaming} quiet={streaming && isQuiet} />
    ) : (
      <Markdown
        key={index}
        text={streaming ? hideUnfinishedSource(text) : text}
        streaming={streaming}
        quiet={streaming && isQuiet}
      />
    );
  });
}

const isAnimated = (): boolean =>
  !document.hidden && !window.matchMedia('(prefers-reduced-motion: reduce)').matches;

const never = () => () => {};

/** `reply` is the same reply while the component is mounted. */
function useLiveReply(reply: Reply, isLast: boolean): ShownReply {
  const [live] = useState(() => new LiveReply(reply, { isAnimated }));
  const mayChange = isLast || isActive(reply.status);
  useLayoutEffect(() => live.setReply(reply), [live, reply]);
  return useSyncExternalStore(mayChange ? live.subscribe : never, live.shown);
}
