import type { UserFile } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { marksQuery, pageQuery } from '../api.ts';
import { type FilePlace, useVisits } from '../place.ts';
import { PagePicture } from './page-picture.tsx';
import { useWidth } from './use-width.ts';

const GAP_PX = 12;
const EDGE_PX = 16;
const MIN_PX = 150;
/** Height by width of A4, until the first page is known. */
const A4 = Math.SQRT2;
/** Where the marked passage is put, and what counts as the page that is read: this share of the view, from its top. */
const EYE = 0.3;

interface PdfPagesProps {
  file: UserFile;
  place: FilePlace;
  zoom: number;
  /** Called with the page that is read. */
  onPage: (page: number) => void;
}

/** The pages below each other, as pictures. Only those in and near the view are mounted. */
export function PdfPages({ file, place, zoom, onPage }: PdfPagesProps) {
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const width = Math.floor(Math.max(0, useWidth(scroller) - 2 * EDGE_PX) * zoom);
  const { data: first } = useQuery(pageQuery(file.id, place.page));
  const ratio = first?.picture ? first.picture.height / first.picture.width : A4;
  const { data: marks } = useQuery({ ...marksQuery(place), enabled: place.mark !== undefined });
  // oxlint-disable-next-line react/incompatible-library -- the React Compiler is not used
  const virtualizer = useVirtualizer({
    count: file.pages ?? 1,
    getScrollElement: () => scroller,
    // Before the width is known too, a page is high: else all of them would be in view.
    estimateSize: () => Math.max(width, MIN_PX) * ratio + GAP_PX,
    paddingStart: EDGE_PX,
    paddingEnd: EDGE_PX,
    overscan: 1,
    initialRect: { width: 600, height: 800 },
    useFlushSync: false,
  });

  const hasArrived = useRef(false);
  const goTo = useEffectEvent(() => {
    hasArrived.current = true;
    const start = virtualizer.getOffsetForIndex(place.page - 1, 'start')?.[0] ?? 0;
    const top = marks?.rects[0]?.top;
    if (top === undefined) virtualizer.scrollToOffset(Math.max(0, start - EDGE_PX));
    else {
      const view = scroller?.clientHeight ?? 0;
      virtualizer.scrollToOffset(Math.max(0, start + top * width * ratio - view * EYE));
    }
  });
  useKeptPlace(virtualizer, width * ratio);
  const { count: visit } = useVisits();
  const isReady = width > 0 && first !== undefined;
  useEffect(() => {
    if (isReady) goTo();
  }, [isReady, place, marks, visit]);

  const offset = (virtualizer.scrollOffset ?? 0) + (scroller?.clientHeight ?? 0) * EYE;
  const current = (virtualizer.getVirtualItemForOffset(offset)?.index ?? place.page - 1) + 1;
  const tell = useEffectEvent(onPage);
  useEffect(() => {
    // The way to the place is not read.
    if (hasArrived.current) tell(current);
  }, [current]);

  return (
    <section
      ref={setScroller}
      aria-label="Pages"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
      tabIndex={0}
      className="relative min-h-0 flex-1 overflow-auto overscroll-contain bg-ground [overflow-anchor:none] focus-visible:-outline-offset-2"
    >
      <div className="relative" style={{ height: virtualizer.getTotalSize(), minWidth: width }}>
        {width > 0 &&
          virtualizer.getVirtualItems().map(({ key, index, start }) => (
            <div
              key={key}
              data-index={index}
              ref={virtualizer.measureElement}
              className="absolute inset-x-0 top-0 mx-auto pb-3"
              style={{ width, transform: `translateY(${start}px)` }}
            >
              <PagePicture
                fileId={file.id}
                n={index + 1}
                width={width}
                ratio={ratio}
                mark={index + 1 === place.page ? place.mark : undefined}
                rects={index + 1 === place.page ? marks?.rects : undefined}
              />
            </div>
          ))}
      </div>
    </section>
  );
}

/** Keeps what is in view in view when the pages grow or shrink. */
function useKeptPlace(
  virtualizer: ReturnType<typeof useVirtualizer<HTMLElement, Element>>,
  pageHeight: number,
): void {
  const former = useRef(pageHeight);
  useLayoutEffect(() => {
    if (former.current === pageHeight) return;
    const offset = virtualizer.scrollOffset ?? 0;
    const item = virtualizer.getVirtualItemForOffset(offset);
    const share = item ? (offset - item.start) / item.size : 0;
    former.current = pageHeight;
    virtualizer.measure();
    if (!item) return;
    const start = virtualizer.getOffsetForIndex(item.index, 'start')?.[0] ?? 0;
    virtualizer.scrollToOffset(start + share * (pageHeight + GAP_PX));
  }, [virtualizer, pageHeight]);
}
