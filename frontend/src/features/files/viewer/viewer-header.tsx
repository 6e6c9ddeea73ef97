import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/viewer';
import type { UserFile } from '@stolas/backend/contract';
import { ArrowLeft, Download, X } from 'lucide-react';
import { cn } from '../../../ui/cn.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { downloadOf } from '../api.ts';
import { KindIcon } from '../kind-icon.tsx';
import { closeFile } from '../place.ts';
import { formatSize } from '../upload/file-size.ts';

export type BackTo = 'claims';

export interface ViewerExits {
  /** It covers the page: it has a way back instead of a cross. */
  isSheet: boolean;
  onClose: () => void;
  backTo?: BackTo;
}

interface ViewerHeaderProps extends ViewerExits {
  file: UserFile | null | undefined;
}

/** The name of the file, its download, and the way to close it. */
export const ViewerHeader = ({ file, isSheet, onClose, backTo }: ViewerHeaderProps) => (
  <header className="flex min-h-14 shrink-0 items-center gap-2 border-b border-line px-2 py-1">
    {(isSheet || backTo) && (
      <IconButton
        label={backTo ? t(`backTo_${backTo}`) : common('back')}
        side="bottom"
        // The panel that opened the file returns when the file is closed.
        onClick={closeFile}
      >
        <ArrowLeft aria-hidden="true" />
      </IconButton>
    )}
    {file && (
      <KindIcon
        kind={file.kind}
        className={cn('size-5 shrink-0 text-muted', !isSheet && !backTo && 'ml-2')}
      />
    )}
    <div className="min-w-0 flex-1">
      {file === undefined ? (
        <Skeleton className="ml-2 w-40" />
      ) : (
        <>
          <h2 className="truncate text-sm font-medium" title={file?.name}>
            <bdi>{file?.name ?? t('file')}</bdi>
          </h2>
          {file && <p className="truncate text-xs text-muted">{describe(file)}</p>}
        </>
      )}
    </div>
    {file && (
      <IconButton asChild label={common('download')} side="bottom">
        <a {...downloadOf(file)}>
          <Download aria-hidden="true" />
        </a>
      </IconButton>
    )}
    {!isSheet && (
      <IconButton label={common('close')} shortcut="Esc" side="bottom" onClick={onClose}>
        <X aria-hidden="true" />
      </IconButton>
    )}
  </header>
);

const describe = ({ size, truncated = false }: UserFile): string =>
  truncated ? `${formatSize(size)} · ${t('onlyBeginning')}` : formatSize(size);
