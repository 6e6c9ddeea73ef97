import { t } from 'virtual:texts/app';
import { FileText } from 'lucide-react';
import type { ReactNode } from 'react';
import { pageNumber } from './page-number.ts';

// The look of a reply's sources, for the chat and for the recorded one of the landing page.

/** The background of an insight card. */
export const INSIGHT_CARD = 'rounded-lg border border-line bg-surface text-sm';

/** Text of a file, letter for letter. */
export const Quote = ({ children }: { children: ReactNode }) => (
  <span
    dir="auto"
    className="block border-s-2 border-accent ps-3 text-start leading-relaxed whitespace-pre-line"
  >
    <span className="break-words">{children}</span>
  </span>
);

interface SourceLineProps {
  fileName: string;
  page: number;
  /** The number that is printed on the page, when it is another one. */
  pageLabel?: string | undefined;
}

/** A file and a page of it, in one line. */
export const SourceLine = ({ fileName, page, pageLabel }: SourceLineProps) => (
  <span className="flex min-w-0 items-center gap-1.5 text-xs text-muted">
    <FileText aria-hidden="true" className="size-3.5 shrink-0" />
    <bdi className="truncate" title={fileName}>
      {fileName}
    </bdi>
    <span className="shrink-0">
      · {t('page', { page: pageNumber({ page, label: pageLabel }) })}
    </span>
  </span>
);
