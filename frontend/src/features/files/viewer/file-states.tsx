import { t as common } from 'virtual:texts/app';
import { t as states } from 'virtual:texts/fileStates';
import { t } from 'virtual:texts/viewer';
import type { UserFile } from '@stolas/backend/contract';
import { CircleAlert, FileX, ScanText } from 'lucide-react';
import type { ReactNode } from 'react';
import { fromServer } from '../../../i18n/translate.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { sharedBy } from '../../grants/index.ts';
import { downloadOf } from '../api.ts';
import { KindIcon } from '../kind-icon.tsx';
import { ReadingBar } from '../reading-bar.tsx';
import { describeState, describeUnreadPages, isScan } from '../state-text.ts';
import { formatSize } from '../upload/file-size.ts';
import { useReadAgain } from '../use-read-again.ts';

const Center = ({ children }: { children: ReactNode }) => (
  <div className="grid min-h-0 flex-1 place-items-center overflow-y-auto p-4">{children}</div>
);

const DownloadButton = ({ file }: { file: UserFile }) => (
  <Button asChild>
    <a {...downloadOf(file)}>{common('download')}</a>
  </Button>
);

export const UnreadFile = ({ file }: { file: UserFile }) => (
  <Center>
    <div className="grid w-full max-w-xs justify-items-center gap-4">
      <EmptyState
        className="p-0"
        icon={<KindIcon kind={file.kind} />}
        title={t('beingRead')}
        description={t('beingReadNote')}
      />
      <p className="text-sm text-muted tabular-nums">{describeState(file)}</p>
      <ReadingBar file={file} className="w-full" />
    </div>
  </Center>
);

export function FailedFile({ file }: { file: UserFile }) {
  const { run: readAgain, isPending } = useReadAgain(file);
  const isOwn = sharedBy(file) === null && !file.isReadOnly;
  return (
    <Center>
      <EmptyState
        icon={<CircleAlert aria-hidden="true" />}
        title={t('unreadable')}
        description={file.problem ? fromServer(file.problem.message) : t('unreadableNote')}
      >
        <div className="flex flex-wrap justify-center gap-3">
          {isOwn && (
            <Button busy={isPending} onClick={readAgain}>
              {common('tryAgain')}
            </Button>
          )}
          <DownloadButton file={file} />
        </div>
      </EmptyState>
    </Center>
  );
}

/** Above a file that was not read, or not all of it. */
export function UnreadNotice({ file }: { file: UserFile }) {
  const text = isScan(file) ? states('notSearchable') : describeUnreadPages(file);
  if (!text) return null;
  return (
    <p
      role="note"
      className="flex shrink-0 items-center gap-2 border-b border-line bg-raised px-4 py-2 text-sm tabular-nums"
    >
      <ScanText aria-hidden="true" className="size-4 shrink-0 text-muted" />
      {text}
    </p>
  );
}

export const FileWithoutView = ({ file }: { file: UserFile }) => (
  <Center>
    <EmptyState
      icon={<KindIcon kind={file.kind} />}
      title={t('noView')}
      description={t('noViewNote', { size: formatSize(file.size) })}
    >
      <DownloadButton file={file} />
    </EmptyState>
  </Center>
);

export const GoneFile = () => (
  <Center>
    <EmptyState
      icon={<FileX aria-hidden="true" />}
      title={t('notAvailable')}
      description={t('notAvailableNote')}
    />
  </Center>
);
