import { Check, Copy, WrapText } from 'lucide-react';
import { memo, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { toast } from '../toast-store.ts';
import { type Code, Highlighting } from './highlight.ts';
import { languageTitle } from './languages.ts';
import type { Run } from './tokenize.ts';

const COPIED_MS = 2000;

export const CodeBlock = memo(function CodeBlock(props: Code) {
  const { code, language } = props;
  const [wrap, setWrap] = useState(false);
  const title = languageTitle(language);
  return (
    <figure className="md-code" aria-label={`Code, ${title}`}>
      <div className="md-code-head">
        <span>{title}</span>
        <button
          type="button"
          aria-pressed={wrap}
          aria-label="Wrap lines"
          title="Wrap lines"
          onClick={() => setWrap(!wrap)}
        >
          <WrapText aria-hidden />
        </button>
        <CopyButton code={code} />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
      <pre className="md-scroll" dir="ltr" data-wrap={wrap || undefined} tabIndex={0}>
        <code>
          <Coloured {...props} />
        </code>
      </pre>
    </figure>
  );
});

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
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(code);
    } catch {
      toast({ title: 'Could not copy', variant: 'destructive' });
      return;
    }
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), COPIED_MS);
  };

  const label = copied ? 'Copied' : 'Copy code';
  return (
    <button type="button" aria-label={label} title={label} onClick={() => void copy()}>
      {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
    </button>
  );
}
