import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/artifacts';
import { useState } from 'react';
import { Banner } from '../banner.tsx';
import { Button } from '../button.tsx';
import { lazyPart } from '../lazy-part.tsx';
import type { DrawFailure } from '../markdown/diagram/diagram.tsx';
import { ArtifactFrame } from './artifact-frame.tsx';
import type { Artifact } from './artifact-kind.ts';

const Diagram = lazyPart(async () => (await import('../markdown/diagram/diagram.tsx')).Diagram);

interface ArtifactPreviewProps {
  artifact: Artifact;
  /** The user has asked for its scripts. */
  isRunning: boolean;
  onRun: () => void;
}

/** The artifact in a frame of its own: without its scripts until the user runs it. */
export function ArtifactPreview({ artifact, isRunning, onRun }: ArtifactPreviewProps) {
  const { code, kind } = artifact;
  if (kind === 'mermaid') return <DiagramPreview code={code} />;
  return (
    <div className="flex size-full flex-col">
      {!isRunning && HAS_SCRIPT.test(code) && (
        <Banner
          className="rounded-none"
          action={
            <Button size="sm" onClick={onRun}>
              {t('run')}
            </Button>
          }
        >
          {t('runNotice')}
        </Banner>
      )}
      <ArtifactFrame artifact={artifact} isRunning={isRunning} className="min-h-0 w-full flex-1" />
    </div>
  );
}

/** Also matches some pages without scripts, for which running changes nothing. */
const HAS_SCRIPT = /<script\b|\bon[a-z]+\s*=/i;

function DiagramPreview({ code }: { code: string }) {
  const [failure, setFailure] = useState<DrawFailure>();
  if (failure) {
    return (
      <output className="flex flex-col items-center gap-3 p-6 text-center text-muted text-sm">
        {t('cannotDraw')}
        {failure.isLate && (
          <Button size="sm" onClick={() => setFailure(undefined)}>
            {common('tryAgain')}
          </Button>
        )}
      </output>
    );
  }
  return <Diagram code={code} fill onFailure={setFailure} />;
}
