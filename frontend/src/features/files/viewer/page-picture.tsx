import { t } from 'virtual:texts/viewer';
import type { PageMarks } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { pageNumber } from '../../../ui/page-number.ts';
import { pageQuery, pictureUrl } from '../api.ts';
import { DrawnPicture } from './drawn-picture.tsx';
import { MarkedText } from './marked-text.tsx';
import { pictureWidth } from './picture-width.ts';

/** While the user scrolls, a page is requested only after it has stayed in view for this long. */
const STAY_MS = 120;

interface PagePictureProps {
  fileId: string;
  /** From 1. */
  n: number;
  /** CSS pixels. */
  width: number;
  /** Height by width. */
  ratio: number;
  /** Whether it is its turn to be drawn. */
  isNext: boolean;
  /** Whether the user scrolls. */
  isPassing: boolean;
  mark: { start: number; end: number } | undefined;
  rects: PageMarks['rects'] | undefined;
  /** Called when the height by width is known and differs. */
  onRatio: (n: number, ratio: number) => void;
  /** Called when the picture has loaded or failed. */
  onDrawn: (n: number) => void;
}

/** A page as a picture with the passage marked; screen readers get its text. */
export function PagePicture(props: PagePictureProps) {
  const { fileId, n, width, ratio, mark, rects = [], onRatio, onDrawn } = props;
  const isWanted = useIsWanted(props);
  const { data: page } = useQuery({ ...pageQuery(fileId, n), enabled: isWanted });
  const own = page?.picture && page.picture.height / page.picture.width;
  useEffect(() => {
    if (own !== undefined && own !== ratio) onRatio(n, own);
  }, [n, own, ratio, onRatio]);
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a page is no group of fields
      role="group"
      aria-label={t('page', { page: pageNumber({ page: n, label: page?.label }) })}
      className="relative overflow-hidden rounded-xs bg-raised shadow-[0_0_0_1px_var(--line)]"
      style={{ height: Math.round(width * ratio) }}
    >
      {isWanted ? (
        <DrawnPicture
          src={pictureUrl(fileId, n, pictureWidth(width))}
          onSettled={() => onDrawn(n)}
        />
      ) : (
        <div className="absolute inset-0 animate-shimmer bg-hover" />
      )}
      {rects.map((rect, i) => (
        <div
          key={i}
          data-mark
          className="pointer-events-none absolute rounded-xs bg-[oklch(0.85_0.16_88)] mix-blend-multiply"
          style={{
            left: percent(rect.left),
            top: percent(rect.top),
            width: percent(rect.width),
            height: percent(rect.height),
          }}
        />
      ))}
      {page && (
        <p className="sr-only">
          <MarkedText text={page.text} mark={mark} />
        </p>
      )}
    </div>
  );
}

const percent = (share: number): string => `${share * 100}%`;

/** True from its first turn in view on. */
function useIsWanted({ isNext, isPassing }: PagePictureProps): boolean {
  const [isWanted, setWanted] = useState(isNext && !isPassing);
  useEffect(() => {
    if (isWanted || !isNext) return undefined;
    const timer = setTimeout(() => setWanted(true), isPassing ? STAY_MS : 0);
    return () => clearTimeout(timer);
  }, [isWanted, isNext, isPassing]);
  return isWanted;
}
