import { t } from 'virtual:texts/artifacts';
import type { Reply } from '@stolas/backend/contract';
import { PanelRightOpen } from 'lucide-react';
import { artifactKind, artifactsOf } from './find-artifacts.ts';
import { openArtifact } from './place.ts';

interface OpenButtonProps {
  reply: Reply;
  code: string;
  language: string;
}

/** Opens a code block beside the chat, if it is a page, a drawing or a diagram. */
export function OpenButton({ reply, code, language }: OpenButtonProps) {
  if (!artifactKind(code, language)) return null;
  const open = () => {
    const artifact = artifactsOf(reply).find((other) => other.code === code);
    if (artifact) openArtifact(artifact);
  };
  return (
    <button type="button" aria-label={t('open')} title={t('open')} onClick={open}>
      <PanelRightOpen aria-hidden />
    </button>
  );
}
