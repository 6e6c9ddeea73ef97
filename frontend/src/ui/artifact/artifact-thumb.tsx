import { t } from 'virtual:texts/artifacts';
import { ArtifactFrame } from './artifact-frame.tsx';
import type { ArtifactKind } from './artifact-kind.ts';

interface ArtifactThumbProps {
  kind: ArtifactKind;
  code: string;
}

/**
 * A picture of an artifact in its reply: without its scripts, and not interactive. Printing and copying use its code.
 */
export const ArtifactThumb = ({ kind, code }: ArtifactThumbProps) => (
  <div className="md-preview" data-kind={kind}>
    <div inert>
      <ArtifactFrame
        artifact={{ kind, code, title: t('preview') }}
        isRunning={false}
        className="md-thumb"
      />
    </div>
    <pre>
      <code>{code}</code>
    </pre>
  </div>
);
