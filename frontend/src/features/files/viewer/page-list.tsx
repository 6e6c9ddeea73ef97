import type { UserFile } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { marksQuery } from '../api.ts';
import { type FilePlace, useVisits } from '../place.ts';
import { EDGE_PX, layoutPages } from './page-layout.ts';
import { PagePicture } from './page-picture.tsx';
import { createReadPlace } from './read-place.ts';

interface PageListProps {
  file: UserFile;
  place: FilePlace;
  scroller: HTMLElement;
  /** CSS pixels of a page. */
  width: number;
  /** Height by width of a page whose own ratio is unknown. */
  ratio: number;
  /** Called with the page at the reading position. */
  onPage: (page: number) => void;
}

/** Only the pages in and near the view are mounted; those in view are drawn first. */
export function PageList({ file, place, scroller, width, ratio, onPage }: PageListProps) {
  const count = file.pages ?? 1;
  const [ratios, setRatios] = useState<ReadonlyMap<number, number>>(new Map());
  const layout = useMemo(
    () => layoutPages({ count, width, ratio, ratios }),
    [count, width, ratio, ratios],
  );
  // oxlint-disable-next-line react/incompatible-library -- the React Compiler is not used
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller,
    estimateSize: layout.heightOf,
    initialOffset: () => layout.topOf(place.page - 1) - EDGE_PX,
    paddingStart: EDGE_PX,
    paddingEnd: EDGE_PX,
    overscan: 1,
    initialRect: { width: 600, height: 800 },
    useFlushSync: false,
  });

  const [readPlace] = useState(() => createReadPlace({ scroller, onPage }));
  useLayoutEffect(() => {
    readPlace.setLayout(layout);
    // At once, or the pages at the former offset would be mounted until the browser tells of the scrolling.
    virtualizer.scrollOffset = scroller.scrollTop;
    virtualizer.measure();
  }, [readPlace, virtualizer, scroller, layout]);
  const { data: marks } = useQuery({ ...marksQuery(place), enabled: place.mark !== undefined });
  const { count: visit } = useVisits();
  const share = marks?.rects[0]?.top;
  useLayoutEffect(() => {
    if (visit >= 0) readPlace.goTo({ page: place.page, share });
  }, [readPlace, place, share, visit]);
  useEffect(() => readPlace.follow(), [readPlace]);

  const onRatio = useCallback(
    (n: number, own: number) => setRatios((former) => new Map(former).set(n, own)),
    [],
  );
  const items = virtualizer.getVirtualItems();
  const { isNext, onDrawn } = useDrawingOrder(virtualizer.range);
  return (
    <div className="relative" style={{ height: layout.topOf(count) + EDGE_PX, minWidth: width }}>
      {items.map(({ key, index }) => (
        <div
          key={key}
          className="absolute inset-x-0 top-0 mx-auto"
          style={{ width, transform: `translateY(${layout.topOf(index)}px)` }}
        >
          <PagePicture
            fileId={file.id}
            n={index + 1}
            width={width}
            ratio={ratios.get(index + 1) ?? ratio}
            isNext={isNext(index)}
            isPassing={virtualizer.isScrolling && index + 1 !== place.page}
            mark={index + 1 === place.page ? place.mark : undefined}
            rects={index + 1 === place.page ? marks?.rects : undefined}
            onRatio={onRatio}
            onDrawn={onDrawn}
          />
        </div>
      ))}
    </div>
  );
}

interface Range {
  startIndex: number;
  endIndex: number;
}

/** Pages in view are drawn at once, their neighbours when those are there. */
function useDrawingOrder(range: Range | null) {
  const [drawn, setDrawn] = useState<ReadonlySet<number>>(new Set());
  const onDrawn = useCallback(
    (n: number) => setDrawn((former) => (former.has(n) ? former : new Set(former).add(n))),
    [],
  );
  const { startIndex = 0, endIndex = -1 } = range ?? {};
  let isViewDrawn = range !== null;
  for (let n = startIndex + 1; n <= endIndex + 1; n += 1) isViewDrawn &&= drawn.has(n);
  const isNext = (index: number) => isViewDrawn || (index >= startIndex && index <= endIndex);
  return { isNext, onDrawn };
}
