import { type ReactNode, useState } from 'react';
import { artifactKind, isPictured } from '../../ui/artifact/artifact-kind.ts';
import { kindName, titleIn } from '../../ui/artifact/artifact-title.ts';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { ArtifactContext } from '../../ui/markdown/contexts.ts';
import type { Code } from '../../ui/markdown/highlight.ts';

const Preview = lazyPart(
  async () => (await import('../../ui/artifact/artifact-preview.tsx')).ArtifactPreview,
);

/** Inside it, pages and drawings in the code blocks of replies are shown in frames of their own. */
export const SharedArtifacts = ({ children }: { children: ReactNode }) => (
  <ArtifactContext value={draw}>{children}</ArtifactContext>
);

/** Diagrams are drawn by the Markdown itself. */
function draw({ code, language }: Code) {
  const kind = artifactKind(code, language);
  if (!kind || kind === 'mermaid' || !isPictured(kind, code)) return undefined;
  const title = titleIn(code, kind) ?? kindName(kind);
  const head = (
    <span className="md-artifact" title={title}>
      <bdi>{title}</bdi>
    </span>
  );
  return { head, preview: <Frame code={code} kind={kind} title={title} /> };
}

function Frame(artifact: { code: string; kind: 'html' | 'svg'; title: string }) {
  const [isRunning, setIsRunning] = useState(false);
  return (
    <div className="h-96">
      <Preview artifact={artifact} isRunning={isRunning} onRun={() => setIsRunning(true)} />
    </div>
  );
}
