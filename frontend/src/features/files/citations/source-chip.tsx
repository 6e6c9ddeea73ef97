import { t } from 'virtual:texts/sources';
import type { Citation, SourceRef } from '@stolas/backend/contract';
import type { ReactNode } from 'react';
import { SourceLine } from '../../../ui/insight-look.tsx';
import { pageNumber } from '../../../ui/page-number.ts';
import { Tooltip } from '../../../ui/tooltip.tsx';
import { openSource } from '../place.ts';
import { Passage } from './passage.tsx';

interface SourceChipProps {
  source: SourceRef;
  citations: readonly Citation[] | undefined;
  /** The number, as the text has it. */
  children: ReactNode;
}

/** The number of a source in a reply: explains itself under the pointer and the focus, and opens the viewer. */
export function SourceChip({ source, citations = [], children }: SourceChipProps) {
  const [number = ''] = [children].flat();
  // Only the server's own links have a number as their text.
  if (typeof number !== 'string' || !/^\d{1,4}$/.test(number)) return children;
  const citation = citations.find((known) => isSame(known, source));
  return (
    <Tooltip label={citation ? <Preview citation={citation} /> : t('page', { page: source.page })}>
      <button
        type="button"
        data-source
        aria-label={nameOf(number, citation)}
        onClick={() => openSource(source)}
        className="relative mx-0.5 inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-full bg-cool-soft px-1 align-[0.2em] text-[0.6875rem] leading-none font-semibold text-cool tabular-nums no-underline transition-colors duration-150 ease-out after:absolute after:-inset-1 hover:bg-cool hover:text-ground pointer-coarse:after:-inset-2.5 print:bg-transparent"
      >
        {number}
      </button>
    </Tooltip>
  );
}

const isSame = (a: SourceRef, b: SourceRef): boolean =>
  a.fileId === b.fileId && a.page === b.page && a.start === b.start && a.end === b.end;

const nameOf = (number: string, citation: Citation | undefined): string =>
  citation
    ? t('sourceIn', {
        number,
        file: citation.fileName,
        page: pageNumber({ page: citation.page, label: citation.pageLabel }),
      })
    : t('source', { number });

const Preview = ({ citation }: { citation: Citation }) => (
  <span className="grid gap-1.5 py-0.5">
    <Passage text={citation.quote} className="line-clamp-5 text-sm" />
    <SourceLine {...citation} />
  </span>
);
