import type { PageMarks } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { cn } from '../../../ui/cn.ts';
import { pageQuery, pictureUrl } from '../api.ts';
import { MarkedText } from './marked-text.tsx';
import { pictureWidth } from './picture-width.ts';

interface PagePictureProps {
  fileId: string;
  /** From 1. */
  n: number;
  /** CSS pixels. */
  width: number;
  /** Height by width, until this page's own is known. */
  ratio: number;
  mark: { start: number; end: number } | undefined;
  rects: PageMarks['rects'] | undefined;
}

/** A page as a picture with the passage marked; screen readers get its text. */
export function PagePicture({ fileId, n, width, ratio, mark, rects = [] }: PagePictureProps) {
  const { data: page } = useQuery(pageQuery(fileId, n));
  const own = page?.picture ? page.picture.height / page.picture.width : ratio;
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a page is no group of fields
      role="group"
      aria-label={`Page ${n}`}
      className="relative overflow-hidden rounded-xs bg-raised shadow-[0_0_0_1px_var(--line)]"
      style={{ height: Math.round(width * own) }}
    >
      <Picture key={pictureWidth(width)} src={pictureUrl(fileId, n, pictureWidth(width))} />
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

function Picture({ src }: { src: string }) {
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading');
  const [attempt, setAttempt] = useState(0);
  if (state === 'failed') {
    const retry = () => {
      setState('loading');
      setAttempt(attempt + 1);
    };
    return (
      <div className="absolute inset-0 grid place-content-center justify-items-center gap-3 p-4 text-center text-sm text-muted">
        <p>This page cannot be drawn now.</p>
        <Button size="sm" onClick={retry}>
          Try again
        </Button>
      </div>
    );
  }
  return (
    <img
      key={attempt}
      src={src}
      alt=""
      decoding="async"
      draggable={false}
      onLoad={() => setState('shown')}
      onError={() => setState('failed')}
      className={cn(
        'absolute inset-0 size-full',
        state === 'loading' && 'animate-shimmer bg-hover',
      )}
    />
  );
}
