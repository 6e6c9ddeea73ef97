import { isActive, type Reply } from '@stolas/backend/contract';
import { lazy, type ReactNode, Suspense, useCallback } from 'react';
import { CodeActionsContext } from '../../../ui/markdown/contexts.ts';
import { useArtifactPlace } from './place.ts';

const Button = lazy(async () => ({ default: (await import('./open-button.tsx')).OpenButton }));
const Panel = lazy(async () => ({ default: (await import('./artifact-panel.tsx')).ArtifactPanel }));

const OPENABLE = /^(?:html|svg|xml|mermaid)$/i;

/** Inside it, pages, drawings and diagrams in the code blocks of a reply that has ended can be opened beside the chat. */
export function ArtifactButtons({ reply, children }: { reply: Reply; children: ReactNode }) {
  const draw = useCallback(
    (code: string, language: string) =>
      OPENABLE.test(language) &&
      !isActive(reply.status) && (
        <Suspense>
          <Button reply={reply} code={code} language={language} />
        </Suspense>
      ),
    [reply],
  );
  return <CodeActionsContext value={draw}>{children}</CodeActionsContext>;
}

/** The artifact that the address names, beside the chat. */
export function OpenArtifact({ conversationId }: { conversationId: string }) {
  const place = useArtifactPlace();
  return (
    place && (
      <Suspense>
        <Panel place={place} conversationId={conversationId} />
      </Suspense>
    )
  );
}
