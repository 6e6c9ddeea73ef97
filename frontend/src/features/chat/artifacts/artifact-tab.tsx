import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/artifacts';
import type { Message } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { usePageTitle } from '../../../lib/page-title.ts';
import { useSearchParam } from '../../../lib/search-params.ts';
import { ArtifactPreview } from '../../../ui/artifact/artifact-preview.tsx';
import { kindName } from '../../../ui/artifact/artifact-title.ts';
import { ErrorState } from '../../../ui/states.tsx';
import { loadEarlierMessages, messagesQuery } from '../api.ts';
import { artifactsOf } from './find-artifacts.ts';
import { type ArtifactPlace, useArtifactPlace } from './place.ts';

const CONVERSATION_ID = /^[0-9a-f]{24}$/;

/**
 * An artifact in a separate browser tab: in the same frame as beside the chat, and without its scripts until it is run
 * here.
 */
export function ArtifactTab() {
  const conversationId = useSearchParam('c', CONVERSATION_ID);
  const place = useArtifactPlace();
  return conversationId && place ? (
    <Tab conversationId={conversationId} place={place} />
  ) : (
    <Notice>{t('gone')}</Notice>
  );
}

function Tab({ conversationId, place }: { conversationId: string; place: ArtifactPlace }) {
  const { data: messages, isError, refetch } = useQuery(messagesQuery(conversationId));
  const message = messages?.find(({ id }) => id === place.messageId);
  const isComplete = useEarlierMessages(conversationId, message ? undefined : messages);
  const artifact = useMemo(
    () => (message?.role === 'assistant' ? artifactsOf(message)[place.index] : undefined),
    [message, place.index],
  );
  const [isRunning, setRunning] = useState(false);
  usePageTitle(artifact?.title);
  if (isError) return <Failure onRetry={() => void refetch()} />;
  if (!artifact) return <Notice>{(message || isComplete) && t('gone')}</Notice>;
  const { kind, title } = artifact;
  const name = kindName(kind);
  return (
    <main data-artifact className="flex h-dvh flex-col bg-surface">
      <header className="flex min-h-11 shrink-0 items-baseline gap-2 border-line border-b px-4 py-2.5">
        <h1 className="truncate font-medium text-sm">
          <bdi>{title}</bdi>
        </h1>
        {title !== name && <p className="shrink-0 text-muted text-xs">{name}</p>}
      </header>
      <div className="min-h-0 flex-1">
        <ArtifactPreview artifact={artifact} isRunning={isRunning} onRun={() => setRunning(true)} />
      </div>
    </main>
  );
}

/** Loads earlier messages while there are some. @returns whether there are no more, or they cannot be loaded */
function useEarlierMessages(conversationId: string, messages?: readonly Message[]): boolean {
  const [hasFailed, setFailed] = useState(false);
  const first = messages?.[0];
  const before = first?.parentId ? first.id : undefined;
  useEffect(() => {
    if (before) loadEarlierMessages(conversationId, before).catch(() => setFailed(true));
  }, [conversationId, before]);
  return hasFailed || (messages !== undefined && !before);
}

const Notice = ({ children }: { children: ReactNode }) => (
  <main className="grid min-h-dvh place-items-center p-6 text-center text-muted text-sm">
    <p>{children}</p>
  </main>
);

const Failure = ({ onRetry }: { onRetry: () => void }) => (
  <main className="grid min-h-dvh place-items-center">
    <ErrorState title={t('tabFailed')} description={common('unreachableLine')} onRetry={onRetry} />
  </main>
);
