import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/markdown';
import { Check, Code as CodeIcon, Copy, type LucideIcon, WrapText } from 'lucide-react';
import { memo, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { copyText } from '../../lib/copy-text.ts';
import { lazyPart } from '../lazy-part.tsx';
import { toastError } from '../toast-store.ts';
import { useCopied } from '../use-copied.ts';
import { ArtifactContext } from './contexts.ts';
import type { DrawFailure } from './diagram/diagram.tsx';
import { type Code, Highlighting } from './highlight.ts';
import { languageTitle } from './language-title.ts';
import type { Run } from './tokenize.ts';

/** Without its code the diagram stays as it is written. */
const Diagram = lazyPart(async () => (await import('./diagram/diagram.tsx')).Diagram, {
  missing: 'fallback',
});
/** A longer diagram stays code: drawing it takes too long. */
const MAX_DIAGRAM = 20_000;

export const CodeBlock = memo(function CodeBlock(props: Code) {
  const { code, language, growing } = props;
  const title = languageTitle(language, code);
  const artifact = useContext(ArtifactContext)(props);
  const [wrap, setWrap] = useState(false);
  const [showsCode, setShowsCode] = useState(false);
  const [failure, setFailure] = useState<DrawFailure>();
  const isDiagram =
    language.toLowerCase() === 'mermaid' &&
    !growing &&
    code.length <= MAX_DIAGRAM &&
    failure === undefined;
  const hasPicture = isDiagram || (artifact?.preview !== undefined && !growing);
  const source = (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
    <pre className="md-scroll" dir="ltr" data-wrap={wrap || undefined} tabIndex={0}>
      <code>
        <Coloured {...props} />
      </code>
    </pre>
  );
  return (
    <figure className="md-code" aria-label={t('code', { language: title })}>
      <div className="md-code-head">
        {artifact?.head ?? <span>{title}</span>}
        {hasPicture && (
          <Toggle
            label={t('showCode')}
            icon={CodeIcon}
            pressed={showsCode}
            onPress={setShowsCode}
          />
        )}
        {!(hasPicture && !showsCode) && (
          <Toggle label={t('wrapLines')} icon={WrapText} pressed={wrap} onPress={setWrap} />
        )}
        <CopyButton code={code} />
      </div>
      {failure && <Notice {...failure} onRetry={() => setFailure(undefined)} />}
      {isDiagram && !showsCode ? (
        <Diagram
          fallback={<div data-drawing="">{source}</div>}
          code={code}
          onFailure={setFailure}
        />
      ) : artifact?.preview && !showsCode ? (
        // As high while it is written, so that the page below stays in place.
        growing ? (
          <div className="md-preview">{source}</div>
        ) : (
          artifact.preview
        )
      ) : (
        source
      )}
    </figure>
  );
});

/** Why a diagram is shown as code. */
const Notice = ({ reason, isLate, onRetry }: DrawFailure & { onRetry: () => void }) => (
  <output className="md-code-notice">
    {t('cannotDraw')}
    {reason && <small>{reason}</small>}
    {isLate && (
      <button
        type="button"
        className="md-code-retry"
        onClick={({ currentTarget }) => {
          // The focus stays in the block when this button is removed: on 'Copy code', which always exists.
          const figure = currentTarget.closest('figure');
          figure?.querySelector<HTMLElement>('.md-code-head > :last-child')?.focus();
          onRetry();
        }}
      >
        {common('tryAgain')}
      </button>
    )}
  </output>
);

interface ToggleProps {
  label: string;
  icon: LucideIcon;
  pressed: boolean;
  onPress: (pressed: boolean) => void;
}

const Toggle = ({ label, icon: Icon, pressed, onPress }: ToggleProps) => (
  <button
    type="button"
    aria-pressed={pressed}
    aria-label={label}
    title={label}
    onClick={() => onPress(!pressed)}
  >
    <Icon aria-hidden />
  </button>
);

/** The finished lines in colour, the rest plain. */
function Coloured({ code, language, growing }: Code) {
  const [highlighting] = useState(() => new Highlighting({ code, language, growing }));
  const { text, chunks } = useSyncExternalStore(highlighting.subscribe, highlighting.snapshot);
  useEffect(
    () => highlighting.update({ code, language, growing }),
    [highlighting, code, language, growing],
  );
  if (!code.startsWith(text)) return code;
  return (
    <>
      {chunks.map((runs, i) => (
        <Runs key={i} runs={runs} />
      ))}
      {code.slice(text.length)}
    </>
  );
}

const Runs = memo(({ runs }: { runs: readonly Run[] }) => runs.map(renderRun));

function renderRun([kind, text]: Run, index: number) {
  if (kind === '') return text;
  return (
    <span key={index} className={`tok-${kind}`}>
      {text}
    </span>
  );
}

function CopyButton({ code }: { code: string }) {
  const [copied, onCopied] = useCopied();

  const copy = async () => {
    try {
      await copyText(code);
    } catch {
      toastError(t('copyFailed'));
      return;
    }
    onCopied();
  };

  const label = t(copied ? 'copied' : 'copyCode');
  return (
    <button type="button" aria-label={label} title={label} onClick={() => void copy()}>
      {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
    </button>
  );
}
