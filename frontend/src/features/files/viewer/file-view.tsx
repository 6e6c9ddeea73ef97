import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/viewer';
import type { UserFile } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { ErrorState } from '../../../ui/states.tsx';
import { fileQuery } from '../api.ts';
import { type FilePlace, turnTo } from '../place.ts';
import { isBeingRead, isScan } from '../state-text.ts';
import { FailedFile, FileWithoutView, GoneFile, UnreadFile, UnreadNotice } from './file-states.tsx';
import { ImageView } from './image-view.tsx';
import { PdfPages } from './pdf-pages.tsx';
import { TablePage, TextPage } from './text-page.tsx';
import { TextSkeleton } from './text-skeleton.tsx';
import { Toolbar, type View } from './toolbar.tsx';
import { type ViewerExits, ViewerHeader } from './viewer-header.tsx';
import { zoomed } from './viewer-store.ts';

interface FileViewProps {
  place: FilePlace;
  exits: ViewerExits;
}

/** The header, the controls and the content of one file. */
export function FileView({ place, exits }: FileViewProps) {
  const { data: file, isError, refetch } = useQuery(fileQuery(place.fileId));
  const view = useView(place, file);
  const hasControls = file && isShown(file) && file.kind !== 'other';
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys of the content and of its controls
    <div className="flex min-h-0 flex-1 flex-col" onKeyDown={view.onKeyDown}>
      <ViewerHeader file={file} {...exits} />
      {hasControls && <Toolbar file={file} {...view} />}
      {file && isShown(file) && <UnreadNotice file={file} />}
      {file && <Content file={file} place={place} view={view} />}
      {file === undefined && !isError && <TextSkeleton label={t('loadingFile')} />}
      {file === undefined && isError && (
        <ErrorState
          className="my-auto"
          title={t('notLoaded')}
          description={common('checkConnection')}
          onRetry={() => void refetch()}
        />
      )}
      {file === null && <GoneFile />}
    </div>
  );
}

/** The reader's position in the file and the zoom. */
function useView(place: FilePlace, file: UserFile | null | undefined) {
  const [page, setPage] = useState(place.page);
  const [zoom, setZoom] = useState(1);
  const [isSource, setSource] = useState(place.mark !== undefined);
  const [shown, setShown] = useState(place);
  if (shown !== place) {
    setShown(place);
    setPage(place.page);
    // Passages are marked in the plain text only.
    if (place.mark) setSource(true);
  }
  const pages = file?.pages ?? 1;
  const turn = (to: number) =>
    turnTo({ fileId: place.fileId, page: Math.min(pages, Math.max(1, to)) });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLInputElement) return;
    if (event.key === '+' || event.key === '=') setZoom(zoomed(zoom, 1));
    else if (event.key === '-') setZoom(zoomed(zoom, -1));
    else if (PREVIOUS[kindOf(file)].includes(event.key)) turn(page - 1);
    else if (NEXT[kindOf(file)].includes(event.key)) turn(page + 1);
    else return;
    event.preventDefault();
  };
  return { page, pages, zoom, isSource, setPage, setZoom, setSource, turn, onKeyDown };
}

// A text scrolls by PageDown; a table also scrolls by the arrow keys.
const PREVIOUS = { pdf: ['ArrowLeft', 'PageUp'], text: ['ArrowLeft'], table: [] as string[] };
const NEXT = { pdf: ['ArrowRight', 'PageDown'], text: ['ArrowRight'], table: [] as string[] };

const kindOf = (file: UserFile | null | undefined): keyof typeof NEXT =>
  file?.kind === 'pdf' || file?.kind === 'table' ? file.kind : 'text';

/** A picture is shown even when its text could not be read. */
const isShown = (file: UserFile): boolean =>
  file.state === 'ready' || (file.kind === 'image' && file.state !== 'storing') || isScan(file);

interface ContentProps {
  file: UserFile;
  place: FilePlace;
  view: View;
}

function Content({ file, place, view }: ContentProps) {
  if (file.kind === 'image' && isShown(file)) return <ImageView file={file} zoom={view.zoom} />;
  if (isBeingRead(file)) return <UnreadFile file={file} />;
  if (file.state === 'failed' && !isScan(file)) return <FailedFile file={file} />;
  switch (file.kind) {
    case 'pdf':
      return <PdfPages file={file} place={place} zoom={view.zoom} onPage={view.setPage} />;
    case 'table':
      return <TablePage place={place} zoom={view.zoom} />;
    case 'other':
      return <FileWithoutView file={file} />;
    default:
      return (
        <TextPage
          place={place}
          zoom={view.zoom}
          kind={file.kind === 'markdown' && view.isSource ? 'text' : file.kind}
        />
      );
  }
}
