import type { Reply } from '@stolas/backend/contract';
import { type ReactNode, useCallback } from 'react';
import { artifactKind, isPictured } from '../../../ui/artifact/artifact-kind.ts';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import { ArtifactContext } from '../../../ui/markdown/contexts.ts';
import type { Code } from '../../../ui/markdown/highlight.ts';
import { useArtifactPlace } from './place.ts';

const Head = lazyPart(async () => (await import('./artifact-head.tsx')).ArtifactHead, {
  fallback: <span />,
});
const Thumb = lazyPart(
  async () => (await import('../../../ui/artifact/artifact-thumb.tsx')).ArtifactThumb,
  {
    fallback: <div className="md-preview" />,
  },
);
const Panel = lazyPart(async () => (await import('./artifact-panel.tsx')).ArtifactPanel);

/** Inside it, pages, drawings and diagrams in the code blocks of a reply are cards that open beside the chat. */
export function ArtifactCards({ reply, children }: { reply: Reply; children: ReactNode }) {
  const draw = useCallback(
    (block: Code) => {
      const kind = artifactKind(block.code, block.language);
      if (!kind) return undefined;
      const head = <Head reply={reply} block={block} />;
      if (!isPictured(kind, block.code)) return { head };
      return { head, preview: <Thumb kind={kind} code={block.code} /> };
    },
    [reply],
  );
  return <ArtifactContext value={draw}>{children}</ArtifactContext>;
}

/** The artifact that the address names, beside the chat. */
export function OpenArtifact({ conversationId }: { conversationId: string }) {
  const place = useArtifactPlace();
  return place && <Panel place={place} conversationId={conversationId} />;
}
