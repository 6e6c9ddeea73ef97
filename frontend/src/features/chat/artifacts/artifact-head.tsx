import { t } from 'virtual:texts/artifacts';
import type { Reply } from '@stolas/backend/contract';
import { PanelRightOpen } from 'lucide-react';
import { useEffect, useEffectEvent, useMemo } from 'react';
import { artifactKind, isPictured } from '../../../ui/artifact/artifact-kind.ts';
import { kindName, titleIn } from '../../../ui/artifact/artifact-title.ts';
import type { Code } from '../../../ui/markdown/highlight.ts';
import { languageTitle } from '../../../ui/markdown/language-title.ts';
import { isWide } from '../../../ui/side-panel.tsx';
import { artifactWith } from './find-artifacts.ts';
import { openArtifact, openByItself } from './place.ts';

interface ArtifactHeadProps {
  reply: Reply;
  block: Code;
}

/** Names the artifact of a code block, and opens it beside the chat. While it is written, it opens by itself where there is room. */
export function ArtifactHead({ reply, block }: ArtifactHeadProps) {
  const { code, language, growing } = block;
  const kind = artifactKind(code, language);
  const found = useMemo(
    () => (growing ? undefined : artifactWith(reply, { code, language, growing })),
    [reply, code, language, growing],
  );
  const opensByItself = growing && kind !== undefined && isPictured(kind, code);
  const show = useEffectEvent(() => {
    const artifact = artifactWith(reply, block);
    if (artifact && isWide()) openByItself(artifact);
  });
  useEffect(() => {
    if (opensByItself) show();
  }, [opensByItself]);
  if (!kind) return null;
  // A few tags are not a page.
  const name =
    kind === 'html' && !isPictured(kind, code) ? languageTitle(language) : kindName(kind);
  const title = titleIn(code, kind) ?? found?.heading ?? name;
  const open = () => {
    const artifact = artifactWith(reply, block);
    if (artifact) openArtifact(artifact);
  };
  return (
    <>
      <span className="md-artifact" title={title}>
        <bdi>{title}</bdi>
        {title !== name && <small>{name}</small>}
      </span>
      {(growing || found) && (
        <button type="button" className="md-open" onClick={open}>
          <PanelRightOpen aria-hidden />
          {t('open')}
        </button>
      )}
    </>
  );
}
