import type { Reply } from '@stolas/backend/contract';
import { lazy, type ReactNode, Suspense, useCallback } from 'react';
import { ArtifactContext } from '../../../ui/markdown/contexts.ts';
import type { Code } from '../../../ui/markdown/highlight.ts';
import { artifactKind, isPictured } from './artifact-kind.ts';
import { useArtifactPlace } from './place.ts';

const Head = lazy(async () => ({ default: (await import('./artifact-head.tsx')).ArtifactHead }));
const Thumb = lazy(async () => ({ default: (await import('./artifact-thumb.tsx')).ArtifactThumb }));
const Panel = lazy(async () => ({ default: (await import('./artifact-panel.tsx')).ArtifactPanel }));

/** Inside it, pages, drawings and diagrams in the code blocks of a reply are cards that open beside the chat. */
export function ArtifactCards({ reply, children }: { reply: Reply; children: ReactNode }) {
  const draw = useCallback(
    (block: Code) => {
      const kind = artifactKind(block.code, block.language);
      if (!kind) return undefined;
      const head = (
        <Suspense fallback={<span />}>
          <Head reply={reply} block={block} />
        </Suspense>
      );
      if (!isPictured(kind, block.code)) return { head };
      const preview = (
        <Suspense fallback={<div className="md-preview" />}>
          <Thumb kind={kind} code={block.code} />
        </Suspense>
      );
      return { head, preview };
    },
    [reply],
  );
  return <ArtifactContext value={draw}>{children}</ArtifactContext>;
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
