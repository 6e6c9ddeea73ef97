import { t } from 'virtual:texts/viewer';
import type { UserFile } from '@stolas/backend/contract';
import { ChevronLeft, ChevronRight, Minus, Plus } from 'lucide-react';
import type { ComponentProps } from 'react';
import { formatPercent } from '../../../lib/number.ts';
import { Button } from '../../../ui/button.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { PageField } from './page-field.tsx';
import { zoomed } from './viewer-store.ts';

/** Pages, and how large they are. */
export function Toolbar({
  file,
  page,
  pages,
  zoom,
  setZoom,
  turn,
  isSource,
  setSource,
}: ToolbarProps) {
  return (
    <div
      role="toolbar"
      aria-label={t('view')}
      className="flex min-h-11 shrink-0 flex-wrap items-center justify-between gap-x-3 border-b border-line px-2 pointer-coarse:py-1"
    >
      {pages > 1 ? (
        <div className="flex items-center">
          <ToolButton label={t('previous')} isAtEnd={page <= 1} onClick={() => turn(page - 1)}>
            <ChevronLeft aria-hidden="true" />
          </ToolButton>
          <PageField fileId={file.id} page={page} pages={pages} onTurn={turn} />
          <ToolButton label={t('next')} isAtEnd={page >= pages} onClick={() => turn(page + 1)}>
            <ChevronRight aria-hidden="true" />
          </ToolButton>
        </div>
      ) : (
        <span />
      )}
      <div className="flex items-center">
        {file.kind === 'markdown' && (
          <Button
            variant="ghost"
            size="sm"
            aria-pressed={isSource}
            className="aria-pressed:text-accent"
            onClick={() => setSource(!isSource)}
          >
            {t('source')}
          </Button>
        )}
        <ToolButton
          label={t('zoomOut')}
          shortcut="-"
          isAtEnd={zoomed(zoom, -1) === zoom}
          onClick={() => setZoom(zoomed(zoom, -1))}
        >
          <Minus aria-hidden="true" />
        </ToolButton>
        <Button
          variant="ghost"
          size="sm"
          className="min-w-14 px-1 tabular-nums"
          aria-label={t('resetZoom', { percent: formatPercent(zoom * 100) })}
          onClick={() => setZoom(1)}
        >
          {formatPercent(zoom * 100)}
        </Button>
        <ToolButton
          label={t('zoomIn')}
          shortcut="+"
          isAtEnd={zoomed(zoom, 1) === zoom}
          onClick={() => setZoom(zoomed(zoom, 1))}
        >
          <Plus aria-hidden="true" />
        </ToolButton>
      </div>
    </div>
  );
}

const ToolButton = (props: ComponentProps<typeof IconButton>) => (
  <IconButton size="sm" side="bottom" {...props} />
);

/** The position in the file and the zoom, with the functions that change them. */
export interface View {
  page: number;
  pages: number;
  zoom: number;
  isSource: boolean;
  setPage: (page: number) => void;
  setZoom: (zoom: number) => void;
  setSource: (isSource: boolean) => void;
  turn: (page: number) => void;
}

interface ToolbarProps extends View {
  file: UserFile;
}
