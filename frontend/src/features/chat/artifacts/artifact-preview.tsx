import { lazy, Suspense, useMemo, useState } from 'react';
import { t } from '../../../i18n/artifacts.ts';
import { SandboxedFrame } from '../../../ui/frame/sandboxed-frame.tsx';
import type { Artifact } from './find-artifacts.ts';

const Diagram = lazy(async () => ({
  default: (await import('../../../ui/markdown/diagram/diagram.tsx')).Diagram,
}));

/** The artifact as it runs, in a frame that reaches nothing outside it. */
export function ArtifactPreview({ artifact: { code, kind, title } }: { artifact: Artifact }) {
  const message = useMemo(() => ({ html: kind === 'svg' ? pageOf(code) : code }), [code, kind]);
  if (kind === 'mermaid') return <DiagramPreview code={code} />;
  return (
    <SandboxedFrame
      page="artifact"
      title={title}
      message={message}
      // Pages that name no background expect a white one.
      className="size-full bg-[white] [color-scheme:light]"
    />
  );
}

function DiagramPreview({ code }: { code: string }) {
  const [hasFailed, setHasFailed] = useState(false);
  if (hasFailed) {
    return <output className="block p-6 text-center text-muted text-sm">{t('cannotDraw')}</output>;
  }
  return (
    <div className="size-full p-4">
      <Suspense>
        <Diagram code={code} fill onFailure={() => setHasFailed(true)} />
      </Suspense>
    </div>
  );
}

const pageOf = (svg: string): string =>
  `<!doctype html><style>body{margin:0;min-height:100vh;display:grid;place-items:center}svg{max-width:100%;max-height:100vh}</style>${svg}`;
