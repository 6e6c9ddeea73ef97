import type { MessageFile, MessageMetadata } from '@stolas/backend/contract';
import { Paperclip, Sparkles } from 'lucide-react';

/** The files and insights of a message (docs/product.md, 'Screens'). */
export function Attachments({ metadata }: { metadata: MessageMetadata }) {
  const { files = [], insightCards = [] } = metadata;
  return (
    <>
      {files.length > 0 && (
        <ul className="mt-3 flex flex-wrap gap-2">
          {files.map((file, i) => (
            <li key={i} className="max-w-full">
              <FileLink file={file} />
            </li>
          ))}
        </ul>
      )}
      {insightCards.length > 0 && (
        <ul className="mt-4 grid gap-2" aria-label="Insights">
          {insightCards.map(({ insight }, i) => (
            <li key={i} className="flex gap-3 rounded-lg border border-line bg-surface p-4 text-sm">
              <Sparkles aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
              <p dir="auto" className="min-w-0 break-words">
                {insight}
              </p>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const CHIP =
  'flex max-w-full items-center gap-2 rounded-sm border border-line bg-surface px-3 py-1.5 text-sm';

function FileLink({ file }: { file: MessageFile }) {
  const href = safeUrl(file.url ?? file.objectPath);
  const label = (
    <>
      <Paperclip aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <span dir="auto" className="truncate">
        {file.name || 'File'}
      </span>
    </>
  );
  if (!href) return <span className={CHIP}>{label}</span>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer noopener"
      className={`${CHIP} hover:bg-hover pointer-coarse:min-h-11`}
    >
      {label}
    </a>
  );
}

/** A URL of this server or of the web; anything else, such as `javascript:`, is not linked. */
function safeUrl(url: string | undefined): string | undefined {
  if (!url) return undefined;
  try {
    const { protocol } = new URL(url, location.origin);
    return protocol === 'https:' || protocol === 'http:' ? url : undefined;
  } catch {
    return undefined;
  }
}
