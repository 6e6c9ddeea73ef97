import { Check, Copy, WrapText } from 'lucide-react';
import { memo, startTransition, useEffect, useRef, useState } from 'react';
import { toast } from '../toast-store.ts';
import { highlight, highlighted } from './highlight.ts';
import type { Run } from './tokenize.ts';

const COPIED_MS = 2000;

interface CodeBlockProps {
  code: string;
  language: string;
  /** The code still grows: it stays plain until it is whole. */
  live: boolean;
}

export const CodeBlock = memo(function CodeBlock({ code, language, live }: CodeBlockProps) {
  const [wrap, setWrap] = useState(false);
  const runs = useRuns(code, language, live);
  return (
    <figure className="md-code">
      <figcaption>
        <span>{language || 'text'}</span>
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
      </figcaption>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
      <pre dir="ltr" data-wrap={wrap || undefined} tabIndex={0}>
        <code>{runs ? runs.map(renderRun) : code}</code>
      </pre>
    </figure>
  );
});

function renderRun([kind, text]: Run, index: number) {
  if (kind === '') return text;
  return (
    <span key={index} className={`tok-${kind}`}>
      {text}
    </span>
  );
}

function useRuns(code: string, language: string, live: boolean): readonly Run[] | undefined {
  const [found, setFound] = useState<{ code: string; runs: readonly Run[] | undefined }>();
  useEffect(() => {
    if (live) return undefined;
    let wanted = true;
    highlight(code, language).then(
      (runs) => wanted && startTransition(() => setFound({ code, runs })),
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [code, language, live]);
  if (live) return undefined;
  return found?.code === code ? found.runs : highlighted(code, language);
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
