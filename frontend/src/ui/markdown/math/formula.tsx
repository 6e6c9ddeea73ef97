import { render } from 'katex';
import { memo, useLayoutEffect, useRef } from 'react';
import 'katex/dist/katex.min.css';
import { t } from 'virtual:texts/markdown';

/** Limits of a hostile formula: widths and heights in em, and expansions of macros. */
const LIMITS = { maxSize: 20, maxExpand: 200 };

interface FormulaProps {
  /** LaTeX. */
  source: string;
  /** It stands on lines of its own. */
  display?: boolean;
}

/** A formula, or its source when it cannot be read. Screen readers get its MathML. */
export const Formula = memo(function Formula({ source, display = false }: FormulaProps) {
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (box.current) typeset(box.current, { source, display });
  }, [source, display]);
  if (!display) return <span ref={box} dir="ltr" className="md-math" />;
  const name = t('formula');
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex, jsx-a11y/prefer-tag-over-role -- what scrolls must be reachable by keyboard; no tag is a plain group
    <div role="group" aria-label={name} tabIndex={0} dir="ltr" className="md-formula md-scroll">
      <span ref={box} />
    </div>
  );
});

/** Builds elements and sets their styles one by one, which the content security policy allows, unlike style attributes. */
function typeset(box: HTMLElement, { source, display }: Required<FormulaProps>): void {
  try {
    render(source, box, {
      ...LIMITS,
      displayMode: display,
      throwOnError: true,
      strict: 'ignore',
      trust: false,
    });
  } catch {
    const code = document.createElement('code');
    code.textContent = source;
    box.replaceChildren(code);
  }
}
