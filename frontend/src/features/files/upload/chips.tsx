import { t } from 'virtual:texts/chips';
import { t as states } from 'virtual:texts/fileStates';
import type { UserFile } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { File, Pause, Play, RotateCcw, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { fromServer } from '../../../i18n/translate.ts';
import { formatPercent } from '../../../lib/number.ts';
import { cn } from '../../../ui/cn.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { fileQuery, isUsable } from '../api.ts';
import { describeState, describeUnread, isScan } from '../state-text.ts';
import { formatSize } from './file-size.ts';
import { openedUploader } from './open-uploader.ts';
import type { Upload } from './upload-store.ts';
import type { Uploader } from './uploader.ts';
import type { KnownFile } from './uppy-files.ts';

interface UploadChipsProps {
  /** The stored files of the draft. */
  files: readonly KnownFile[];
  uploads: readonly Upload[];
  uploaderId: string | undefined;
  onRemoveFile: (file: KnownFile) => void;
}

/** The files of the next message, stored and still uploading. */
export function UploadChips({ files, uploads, uploaderId, onRemoveFile }: UploadChipsProps) {
  return (
    <ul
      aria-label={t('files')}
      className="flex gap-2 overflow-x-auto px-1 pt-1 pb-2 md:grid md:max-h-52 md:grid-flow-row-dense md:grid-cols-3 md:items-start md:overflow-y-auto"
    >
      {files.map((file) => (
        <StoredChip key={file.uploadId} file={file} onRemove={() => onRemoveFile(file)} />
      ))}
      {uploads.map((upload) => (
        <UploadChip key={upload.id} upload={upload} uploader={openedUploader(uploaderId)} />
      ))}
    </ul>
  );
}

function StoredChip({ file, onRemove }: { file: KnownFile; onRemove: () => void }) {
  const { data } = useQuery(fileQuery(file.id));
  const isDeleted = !isUsable(data);
  // A scan is not a failure: its pages can be viewed.
  const problem = isDeleted ? t('deleted') : data && !isScan(data) ? data.problem : undefined;
  return (
    <Chip
      name={file.name}
      status={statusOf(file, data)}
      problem={typeof problem === 'string' ? problem : problem && fromServer(problem.message)}
      note={data?.state === 'ready' ? describeUnread(data) : undefined}
      percent={readPercent(data)}
      picture={data?.thumbnailUrl}
    >
      <Remove name={file.name} onClick={onRemove} />
    </Chip>
  );
}

function statusOf({ size }: KnownFile, file: UserFile | null | undefined): string {
  const bytes = formatSize(file?.size ?? size);
  switch (file?.state) {
    case 'storing':
    case 'waiting':
      return `${bytes} · ${t('waiting')}`;
    case 'reading': {
      const { done = 0, total } = file.progress ?? {};
      return total ? `${bytes} · ${t('readingOf', { done, total })}` : `${bytes} · ${t('reading')}`;
    }
    case 'ready':
      return file.pages && file.pages > 1
        ? `${bytes} · ${states('pages', { pages: file.pages })}`
        : bytes;
    case 'failed':
      return `${bytes} · ${describeState(file)}`;
    default:
      return bytes;
  }
}

function readPercent(file: UserFile | null | undefined): number | undefined {
  const progress = file?.state === 'reading' ? file.progress : file?.recognition;
  return progress?.total ? Math.round((100 * progress.done) / progress.total) : undefined;
}

interface UploadChipProps {
  upload: Upload;
  uploader: Uploader | undefined;
}

function UploadChip({ upload, uploader }: UploadChipProps) {
  const { id, name, state, percent, problem, canPause } = upload;
  const isMoving = state === 'uploading' || state === 'paused';
  return (
    <Chip
      name={name}
      status={uploadStatus(upload)}
      problem={problem}
      percent={isMoving || state === 'processing' ? percent : undefined}
    >
      {state === 'added' && (
        <IconButton size="sm" label={t('upload', { name })} onClick={() => uploader?.start()}>
          <Play aria-hidden="true" />
        </IconButton>
      )}
      {state === 'failed' && (
        <IconButton size="sm" label={t('retry', { name })} onClick={() => void uploader?.retry(id)}>
          <RotateCcw aria-hidden="true" />
        </IconButton>
      )}
      {isMoving && canPause && (
        <IconButton
          size="sm"
          label={state === 'paused' ? t('resume', { name }) : t('pause', { name })}
          onClick={() => uploader?.pauseOrResume(id)}
        >
          {state === 'paused' ? <Play aria-hidden="true" /> : <Pause aria-hidden="true" />}
        </IconButton>
      )}
      <Remove name={name} onClick={() => uploader?.remove(id)} />
    </Chip>
  );
}

const STATUS: Record<Upload['state'], (percent: string) => string> = {
  added: () => t('added'),
  uploading: (percent) => percent,
  paused: (percent) => t('pausedAt', { percent }),
  processing: () => t('processing'),
  failed: () => t('failed'),
  lost: () => t('lost'),
};

const uploadStatus = ({ state, size, percent }: Upload): string =>
  `${formatSize(size)} · ${STATUS[state](formatPercent(percent))}`;

interface ChipProps {
  name: string;
  status: string;
  problem?: string | undefined;
  /** The parts that were not read. */
  note?: string | undefined;
  /** 0 to 100, while there is progress to show. */
  percent?: number | undefined;
  /** Address of a small picture of it. */
  picture?: string | undefined;
  children: ReactNode;
}

function Chip({ name, status, problem, note, percent, picture, children }: ChipProps) {
  return (
    <li
      className={cn(
        'relative flex w-64 shrink-0 items-center md:w-auto gap-2 overflow-hidden rounded-sm border bg-surface py-1 pr-1 pl-2 text-sm',
        // The problem has a separate row, so that all chips in a row have the same height.
        problem ? 'border-danger md:col-span-full' : 'border-line',
      )}
    >
      <Badge problem={problem} picture={picture} />
      <div className="min-w-0 flex-1 py-0.5">
        <p dir="auto" title={name} className="truncate leading-5">
          {name}
        </p>
        <p className="truncate text-xs text-muted tabular-nums">{status}</p>
        {/* Below the buttons. */}
        {note && <p className="-mr-7 line-clamp-3 text-xs text-muted tabular-nums">{note}</p>}
        {problem && (
          <p title={problem} className="line-clamp-3 text-xs text-danger">
            {problem}
          </p>
        )}
      </div>
      <div className="flex shrink-0 self-start">{children}</div>
      {percent !== undefined && (
        <span
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- browsers draw their own bar for the element
          role="progressbar"
          aria-label={t('progress', { name })}
          aria-valuenow={percent}
          className="absolute inset-x-0 bottom-0 h-0.5 bg-line"
        >
          <span
            className="block h-full bg-accent transition-[width] duration-150 ease-out"
            style={{ width: `${percent}%` }}
          />
        </span>
      )}
    </li>
  );
}

function Badge({ problem, picture }: Pick<ChipProps, 'problem' | 'picture'>) {
  if (problem) return <TriangleAlert aria-hidden="true" className="size-4 shrink-0 text-danger" />;
  if (picture) {
    return <img src={picture} alt="" className="size-8 shrink-0 rounded-[4px] object-cover" />;
  }
  return <File aria-hidden="true" className="size-4 shrink-0 text-muted" />;
}

const Remove = ({ name, onClick }: { name: string; onClick: () => void }) => (
  <IconButton size="sm" label={t('remove', { name })} onClick={onClick}>
    <X aria-hidden="true" />
  </IconButton>
);
