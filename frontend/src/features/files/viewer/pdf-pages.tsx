import { t } from 'virtual:texts/viewer';
import type { UserFile } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useWidth } from '../../../ui/use-width.ts';
import { pageQuery, pictureUrl } from '../api.ts';
import type { FilePlace } from '../place.ts';
import { EDGE_PX } from './page-layout.ts';
import { PageList } from './page-list.tsx';
import { pictureWidth } from './picture-width.ts';
import { TextSkeleton } from './text-skeleton.tsx';

/** Height by width of A4, for a first page that cannot be loaded. */
const A4 = Math.SQRT2;

interface PdfPagesProps {
  file: UserFile;
  place: FilePlace;
  zoom: number;
  /** Called with the number of the page in view. */
  onPage: (page: number) => void;
}

/** The pages as pictures in one column. */
export function PdfPages({ file, place, zoom, onPage }: PdfPagesProps) {
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const width = Math.floor(Math.max(0, useWidth(scroller) - 2 * EDGE_PX) * zoom);
  // Most files have pages of one size, so the opened page gives it.
  const [opened] = useState(place.page);
  const { data: page, isPending } = useQuery(pageQuery(file.id, opened));
  return (
    <section
      ref={setScroller}
      aria-label={t('pages')}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
      tabIndex={0}
      className="relative min-h-0 flex-1 overflow-auto overscroll-contain bg-ground [overflow-anchor:none] focus-visible:-outline-offset-2"
    >
      {isPending && <TextSkeleton label={t('loadingPage')} />}
      {isPending && width > 0 && (
        // The server starts to draw before the text arrives.
        <img hidden alt="" src={pictureUrl(file.id, opened, pictureWidth(width))} />
      )}
      {scroller && width > 0 && !isPending && (
        <PageList
          file={file}
          place={place}
          scroller={scroller}
          width={width}
          ratio={page?.picture ? page.picture.height / page.picture.width : A4}
          onPage={onPage}
        />
      )}
    </section>
  );
}
