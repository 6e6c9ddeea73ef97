import { t } from 'virtual:texts/sources';
import type { MessageFile } from '@stolas/backend/contract';
import { Download, Paperclip } from 'lucide-react';
import type { MouseEvent } from 'react';
import { IconButton } from '../../../ui/icon-button.tsx';
import { downloadOf } from '../api.ts';
import { openFile } from '../place.ts';

/** The files that a message names: each opens in the viewer, and can be downloaded. */
export const FileChips = ({ files }: { files: readonly MessageFile[] }) => (
  <ul
    aria-label={t('files')}
    className="mt-3 flex max-w-full flex-wrap gap-2 in-data-[role=user]:justify-end"
  >
    {files.map((file, i) => (
      <li key={i} className="max-w-full">
        <FileChip file={file} />
      </li>
    ))}
  </ul>
);

const CHIP =
  'flex max-w-full items-center rounded-sm border border-line bg-surface text-sm pointer-coarse:min-h-11';
const PART = 'flex min-w-0 items-center gap-2 rounded-sm px-3 py-1.5';

function FileChip({ file }: { file: MessageFile }) {
  const href = safeUrl(file.url ?? file.objectPath);
  const name = file.name || t('file');
  const label = (
    <>
      <Paperclip aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <bdi className="truncate" title={name}>
        {name}
      </bdi>
    </>
  );
  if (!href) return <span className={`${CHIP} ${PART}`}>{label}</span>;
  const { id } = file;
  const open = (event: MouseEvent) => {
    // With a key, the link does what links do.
    if (!id || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    openFile({ fileId: id });
  };
  return (
    <span className={CHIP}>
      <a
        href={href}
        target="_blank"
        rel="noreferrer noopener"
        onClick={open}
        className={`${PART} hover:bg-hover`}
      >
        {label}
      </a>
      {id && (
        <IconButton asChild label={t('download', { name })} size="sm" className="print:hidden">
          <a {...downloadOf({ id, name: file.name })}>
            <Download aria-hidden="true" />
          </a>
        </IconButton>
      )}
    </span>
  );
}

/** A URL of this server or of the web; anything else, such as `javascript:`, is not linked. */
function safeUrl(url: string | undefined): string | undefined {
  if (!url || !URL.canParse(url, location.origin)) return undefined;
  const { protocol } = new URL(url, location.origin);
  return protocol === 'https:' || protocol === 'http:' ? url : undefined;
}
