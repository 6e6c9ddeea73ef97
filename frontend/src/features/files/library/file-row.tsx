import { t as common } from 'virtual:texts/app';
import { t as states } from 'virtual:texts/fileStates';
import { t } from 'virtual:texts/library';
import type { UserFile } from '@stolas/backend/contract';
import { Download, Ellipsis, Eye, Paperclip, Trash2, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { rich } from '../../../i18n/rich.tsx';
import { fromServer } from '../../../i18n/translate.ts';
import { formatDate } from '../../../lib/time.ts';
import { Button } from '../../../ui/button.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu, MenuContent, MenuItem, MenuSeparator, MenuTrigger } from '../../../ui/menu.tsx';
import { mayManage, sharedBy } from '../../grants/index.ts';
import { downloadOf } from '../api.ts';
import { KindIcon } from '../kind-icon.tsx';
import { openFile } from '../place.ts';
import { ReadingBar } from '../reading-bar.tsx';
import { describeState, describeUnread, isBeingRead, isScan } from '../state-text.ts';
import { attachToDraft } from '../upload/draft-files.ts';
import { formatSize } from '../upload/file-size.ts';
import { useReadAgain } from '../use-read-again.ts';

interface FileRowProps {
  file: UserFile;
  /** Titles of conversations by id; undefined while they are being read. */
  titles: ReadonlyMap<string, string> | undefined;
  onDelete: () => void;
  onShare: () => void;
}

/** One file with its kind, state and actions. */
export const FileRow = ({ file, titles, onDelete, onShare }: FileRowProps) => (
  <li className="group/row relative flex items-start gap-4 py-3.5">
    <Thumbnail file={file} />
    <div className="grid min-w-0 flex-1 gap-0.5">
      <button
        type="button"
        onClick={() => openFile({ fileId: file.id })}
        // The whole row opens the file; other buttons lie above it.
        className="min-w-0 rounded-xs text-left text-sm font-medium after:absolute after:inset-0 after:-mx-3 after:rounded-lg hover:after:bg-hover/40"
      >
        <bdi className="block truncate" title={file.name}>
          {file.name}
        </bdi>
      </button>
      <p className="truncate text-xs text-muted tabular-nums">{describe(file)}</p>
      <State file={file} />
      <SharedBy file={file} />
      <WhereUsed ids={file.conversationIds} titles={titles} />
    </div>
    <Actions file={file} onDelete={onDelete} onShare={onShare} />
  </li>
);

function Thumbnail({ file: { thumbnailUrl, kind } }: { file: UserFile }) {
  const [isBroken, setBroken] = useState(false);
  return (
    <div className="grid size-11 shrink-0 place-items-center overflow-hidden rounded-sm border border-line bg-surface text-muted">
      {thumbnailUrl && !isBroken ? (
        <img
          src={thumbnailUrl}
          alt=""
          loading="lazy"
          decoding="async"
          onError={() => setBroken(true)}
          className="size-full object-cover object-top"
        />
      ) : (
        <KindIcon kind={kind} className="size-5" />
      )}
    </div>
  );
}

function describe({ size, createdAt, pages = 1 }: UserFile): string {
  const parts = [formatSize(size), formatDate(createdAt), pages > 1 && states('pages', { pages })];
  return parts.filter(Boolean).join(' · ');
}

function State({ file }: { file: UserFile }) {
  const { run: readAgain, isPending } = useReadAgain(file);
  if (isBeingRead(file)) {
    return (
      <div className="mt-1 flex items-center gap-3">
        <ReadingBar file={file} className="w-24" />
        <span className="text-xs text-muted tabular-nums">{describeState(file)}</span>
      </div>
    );
  }
  if (isScan(file)) return <p className="text-xs text-muted">{states('notSearchable')}</p>;
  if (file.state === 'ready') {
    const note = describeUnread(file);
    return note ? <p className="text-xs text-muted tabular-nums">{note}</p> : null;
  }
  if (file.state !== 'failed') return null;
  const isOwn = sharedBy(file) === null;
  return (
    <div className="mt-0.5 flex flex-wrap items-center gap-x-2 text-xs">
      <p className="text-danger">
        {file.problem ? fromServer(file.problem.message) : t('unreadable')}
      </p>
      {isOwn && (
        <Button
          variant="ghost"
          size="sm"
          busy={isPending}
          className="relative -mx-2 h-7 px-2 text-xs text-cool"
          onClick={readAgain}
        >
          {common('tryAgain')}
        </Button>
      )}
    </div>
  );
}

interface WhereUsedProps {
  ids: readonly string[];
  titles: FileRowProps['titles'];
}

/** The conversation that used the file last, and the number of others. */
function WhereUsed({ ids, titles }: WhereUsedProps) {
  const last = ids.at(-1);
  const title = last && titles?.get(last);
  if (!last || !title) return null;
  const others = ids.length - 1;
  return (
    <p className="flex min-w-0 items-baseline gap-1 text-xs whitespace-nowrap text-muted">
      {rich(others > 0 ? t('usedInMore', { others }) : t('usedIn'), {
        link: (
          <Link
            href={`/?c=${encodeURIComponent(last)}`}
            className="relative min-w-0 truncate rounded-xs text-cool underline-offset-4 hover:underline"
          >
            <bdi>{title}</bdi>
          </Link>
        ),
      })}
    </p>
  );
}

function SharedBy({ file }: { file: UserFile }) {
  const owner = sharedBy(file);
  if (owner === null) return null;
  return <bdi className="block truncate text-xs text-muted">{t('sharedBy', { owner })}</bdi>;
}

function Actions({ file, onDelete, onShare }: Omit<FileRowProps, 'titles'>) {
  return (
    <div className="relative flex shrink-0">
      <IconButton
        label={t('attach')}
        size="sm"
        className="opacity-0 transition-opacity group-focus-within/row:opacity-100 group-hover/row:opacity-100 max-sm:hidden pointer-coarse:opacity-100"
        onClick={() => attachToMessage(file)}
      >
        <Paperclip aria-hidden="true" />
      </IconButton>
      <Menu>
        <MenuTrigger>
          <IconButton label={t('actions', { name: file.name })} size="sm">
            <Ellipsis aria-hidden="true" />
          </IconButton>
        </MenuTrigger>
        <MenuContent align="end">
          <MenuItem onSelect={() => openFile({ fileId: file.id })}>
            <Eye aria-hidden="true" />
            {t('open')}
          </MenuItem>
          <MenuItem onSelect={() => attachToMessage(file)}>
            <Paperclip aria-hidden="true" />
            {t('attachItem')}
          </MenuItem>
          <MenuItem asChild>
            <a {...downloadOf(file)}>
              <Download aria-hidden="true" />
              {common('download')}
            </a>
          </MenuItem>
          {mayManage(file) && (
            <>
              <MenuSeparator />
              <MenuItem onSelect={onShare}>
                <UserPlus aria-hidden="true" />
                {t('shareItem')}
              </MenuItem>
              <MenuItem danger onSelect={onDelete}>
                <Trash2 aria-hidden="true" />
                {t('deleteItem')}
              </MenuItem>
            </>
          )}
        </MenuContent>
      </Menu>
    </div>
  );
}

/** Attaches a file to a new message and opens that conversation. */
function attachToMessage(file: UserFile): void {
  attachToDraft(file);
  navigate('/?c=new');
}
