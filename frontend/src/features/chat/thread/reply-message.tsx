import { t } from 'virtual:texts/chat';
import { t as personaText } from 'virtual:texts/personaChoice';
import {
  type Citation,
  isPanel,
  isSameAuthor,
  type MessageMetadata,
  namedText,
  type Reply,
  type ReplyPart,
  withSourceList,
} from '@stolas/backend/contract';
import { Fragment, memo, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { contentOf, isActive } from '../../../realtime/index.ts';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import { ReplyLayout } from '../../../ui/message-look.tsx';
import { pageNumber } from '../../../ui/page-number.ts';
import { ClaimsSummary, ReplyText } from '../../claims/index.tsx';
import {
  hideUnfinishedSource,
  MessageFiles,
  ReplySources,
  SourceLinks,
} from '../../files/index.ts';
import { MemoryChip } from '../../memory/index.tsx';
import { PanelHeading, PersonaName } from '../../personas/index.ts';
import { ArtifactCards } from '../artifacts/lazy.tsx';
import { LiveReply, type ShownReply } from './live-reply.ts';
import { Reasoning } from './reasoning.tsx';
import { DepthDifference, LeftOut } from './receipt-notes.tsx';
import { ReplyFooter } from './reply-footer.tsx';
import { ReplyNotice, StillWorking } from './reply-notice.tsx';
import { TypingIndicator, WaitsForStart } from './typing-indicator.tsx';

interface ReplyMessageProps {
  reply: Reply;
  isLast: boolean;
  /** Whether the conversation has sources for a check. */
  hasSources: boolean;
}

/** A reply while and after it is generated. Only the last one can change, so only that one subscribes. */
export const ReplyMessage = memo(function ReplyMessage({
  reply,
  isLast,
  hasSources,
}: ReplyMessageProps) {
  const shown = useLiveReply(reply, isLast);
  const { parts, status, ending, isEnded } = shown;
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
      <h2 className="sr-only select-none">{t('replied')}</h2>
      <ReplyLayout busy={!isEnded && isEmpty}>
        <PersonaName persona={reply.persona} />
        <div dir="auto" className="reply">
          <SourceLinks citations={reply.metadata?.citations}>
            <ArtifactCards reply={reply}>
              <Parts {...shown} metadata={reply.metadata} />
            </ArtifactCards>
          </SourceLinks>
          {!isEnded && isEmpty && <TypingIndicator ahead={shown.ahead} />}
          {status === 'queued' && shown.ahead === undefined && <WaitsForStart />}
        </div>
        <MessageFiles metadata={reply.metadata} />
        <ReplySources metadata={reply.metadata} text={contentOf(parts)} />
        {isEnded && <ClaimsSummary reply={reply} />}
        {isEnded && <MemoryChip reply={reply} />}
        {isEnded && <DepthDifference receipt={reply.metadata?.depthReceipt} />}
        {isEnded && isLast && <LeftOut receipt={reply.metadata?.contextReceipt} />}
        {isActive(status) && <StillWorking replyId={reply.id} />}
        {isEnded && (status !== 'complete' || ending) && (
          <ReplyNotice reply={reply} shown={shown} canRetry={isLast} />
        )}
        {isEnded && (
          <ReplyFooter
            reply={reply}
            isLast={isLast}
            hasSources={hasSources}
            text={withSourceList(
              namedText(parts, personaText('synthesis')),
              reply.metadata?.citations,
              sourceLine,
            )}
          />
        )}
      </ReplyLayout>
    </article>
  );
});

const sourceLine = ({ n, fileName, page, pageLabel: label }: Citation): string =>
  t('sourceLine', { n, fileName, page: pageNumber({ page, label }) });

type PartsProps = ShownReply & { metadata: MessageMetadata | undefined };

const Parts = (shown: PartsProps) =>
  shown.parts.map((part, index) => (
    <Fragment key={index}>
      {isAuthorsFirst(shown, index) && <PanelHeading {...part} />}
      <Part {...shown} index={index} {...part} />
    </Fragment>
  ));

function Part({
  parts,
  isEnded,
  isQuiet,
  metadata,
  type,
  text,
  index,
}: PartsProps & ReplyPart & { index: number }) {
  const { claims, depthReceipt } = metadata ?? {};
  const streaming = !isEnded && index === parts.length - 1;
  if (type === 'text' && isEnded && claims && claims.claims.length > 0)
    return (
      <ReplyText
        text={text}
        start={startOf(parts, index)}
        check={claims}
        fallback={<Markdown text={text} />}
      />
    );
  return type === 'reasoning' ? (
    <Reasoning
      text={text}
      streaming={streaming}
      quiet={streaming && isQuiet}
      ms={isEnded ? depthReceipt?.reasoningMs : undefined}
    />
  ) : (
    <Markdown
      text={streaming ? hideUnfinishedSource(text) : text}
      streaming={streaming}
      quiet={streaming && isQuiet}
    />
  );
}

/** In a panel: an author's first part; when the reply has ended, only for authors with text. */
function isAuthorsFirst({ parts, isEnded }: ShownReply, index: number): boolean {
  const [before, part] = [parts[index - 1], parts[index]];
  if (!part || !isPanel(parts) || (before && isSameAuthor(before, part))) return false;
  return !isEnded || parts.some((it) => isSameAuthor(it, part) && it.text.trim() !== '');
}

/** The start of a part in the text of the reply, which consists of its text parts. */
const startOf = (parts: ShownReply['parts'], index: number): number =>
  contentOf(parts.slice(0, index)).length;

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
