import type { Ref } from 'react';

interface MarkedTextProps {
  text: string;
  /** UTF-16 code units of `text`; what lies beyond its end is not marked. */
  mark?: { start: number; end: number } | undefined;
  ref?: Ref<HTMLElement>;
}

/** A text with one passage marked; text only, whatever it contains. */
export function MarkedText({ text, mark, ref }: MarkedTextProps) {
  if (!mark || mark.start >= text.length) return text;
  return (
    <>
      {text.slice(0, mark.start)}
      <mark ref={ref} className="rounded-xs bg-accent/30 text-ink">
        {text.slice(mark.start, mark.end)}
      </mark>
      {text.slice(mark.end)}
    </>
  );
}
