import type { UserFile } from '@stolas/backend/contract';
import { CircleAlert, FileX, ScanText } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { KindIcon } from '../kind-icon.tsx';
import { ReadingBar } from '../reading-bar.tsx';
import { describeState, NOT_SEARCHABLE } from '../state-text.ts';
import { formatSize } from '../upload/file-size.ts';
import { useReadAgain } from '../use-read-again.ts';

const Center = ({ children }: { children: ReactNode }) => (
  <div className="grid min-h-0 flex-1 place-items-center overflow-y-auto p-4">{children}</div>
);

const DownloadButton = ({ file }: { file: UserFile }) => (
  <Button asChild>
    <a href={file.url} download={file.name} target="_blank" rel="noreferrer noopener">
      Download
    </a>
  </Button>
);

export const UnreadFile = ({ file }: { file: UserFile }) => (
  <Center>
    <div className="grid w-full max-w-xs justify-items-center gap-4">
      <EmptyState
        className="p-0"
        icon={<KindIcon kind={file.kind} />}
        title="This file is still being read"
        description="It opens here by itself as soon as it is ready."
      />
      <p className="text-sm text-muted tabular-nums">{describeState(file)}</p>
      <ReadingBar file={file} className="w-full" />
    </div>
  </Center>
);

export function FailedFile({ file }: { file: UserFile }) {
  const { readAgain, isPending } = useReadAgain(file);
  return (
    <Center>
      <EmptyState
        icon={<CircleAlert aria-hidden="true" />}
        title="The text of this file could not be read"
        description={file.problem?.message ?? 'You can still download it.'}
      >
        <div className="flex flex-wrap justify-center gap-3">
          <Button busy={isPending} onClick={readAgain}>
            Try again
          </Button>
          <DownloadButton file={file} />
        </div>
      </EmptyState>
    </Center>
  );
}

/** Above the pages of a scan. */
export const ScanNotice = () => (
  <p
    role="note"
    className="flex shrink-0 items-center gap-2 border-b border-line bg-raised px-4 py-2 text-sm"
  >
    <ScanText aria-hidden="true" className="size-4 shrink-0 text-muted" />
    {NOT_SEARCHABLE}
  </p>
);

export const FileWithoutView = ({ file }: { file: UserFile }) => (
  <Center>
    <EmptyState
      icon={<KindIcon kind={file.kind} />}
      title="This kind of file has no view"
      description={`${formatSize(file.size)}. Download it to open it on your device.`}
    >
      <DownloadButton file={file} />
    </EmptyState>
  </Center>
);

export const GoneFile = () => (
  <Center>
    <EmptyState
      icon={<FileX aria-hidden="true" />}
      title="This file was deleted"
      description="Messages keep its name, but it can no longer be opened."
    />
  </Center>
);
