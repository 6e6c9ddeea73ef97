import { t } from 'virtual:texts/viewer';
import type { UserFile } from '@stolas/backend/contract';
import { useState } from 'react';
import { cn } from '../../../ui/cn.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { pictureUrl } from '../api.ts';
import { FileWithoutView } from './file-states.tsx';
import { PICTURE_WIDTHS } from './picture-width.ts';

/** An image as the server draws it, without active content. At 100% the whole image is in view. */
export function ImageView({ file, zoom }: { file: UserFile; zoom: number }) {
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading');
  if (state === 'failed') return <FileWithoutView file={file} />;
  return (
    <section
      aria-label={t('image')}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
      tabIndex={0}
      className="relative grid min-h-0 flex-1 overflow-auto overscroll-contain focus-visible:-outline-offset-2"
    >
      {state === 'loading' && <Skeleton className="absolute inset-4 h-auto" />}
      <div
        className={cn('m-auto p-4', zoom === 1 && 'grid size-full min-h-0 place-items-center')}
        style={zoom === 1 ? undefined : { width: `${zoom * 100}%` }}
      >
        <img
          src={pictureUrl(file.id, 1, PICTURE_WIDTHS.at(-1) ?? 0)}
          alt={file.name}
          onLoad={() => setState('shown')}
          onError={() => setState('failed')}
          className={cn(
            'rounded-sm',
            zoom === 1 ? 'max-h-full min-h-0 max-w-full object-contain' : 'w-full',
          )}
        />
      </div>
    </section>
  );
}
