import { type Citation, type MessageMetadata, parseSourceHref } from '@stolas/backend/contract';
import { type ComponentProps, lazy, type ReactNode, Suspense, useCallback } from 'react';
import { LinkContext } from '../../ui/markdown/contexts.ts';

const Viewer = lazy(async () => ({ default: (await import('./viewer/viewer.tsx')).Viewer }));
const parts = () => import('./citations/parts.ts');
const Chip = lazy(async () => ({ default: (await parts()).SourceChip }));
const Files = lazy(async () => ({ default: (await parts()).FileChips }));
const Sources = lazy(async () => ({ default: (await parts()).ReplySources }));
const Storage = lazy(async () => ({
  default: (await import('./library/storage-use.tsx')).StorageUse,
}));

const Picker = lazy(async () => ({
  default: (await import('./library/file-picker.tsx')).FilePicker,
}));

interface FileViewerProps extends ComponentProps<typeof Viewer> {
  /** Shown until the code is loaded. */
  fallback?: ReactNode;
}

export const FileViewer = ({ fallback, ...props }: FileViewerProps) => (
  <Suspense fallback={fallback}>
    <Viewer {...props} />
  </Suspense>
);

/** Shows the user's files to choose one. */
export const FilePicker = (props: ComponentProps<typeof Picker>) => (
  <Suspense>
    <Picker {...props} />
  </Suspense>
);

/** The storage that the user's files take. */
export const StorageUse = () => (
  <Suspense>
    <Storage />
  </Suspense>
);

interface MetadataProps {
  metadata: MessageMetadata | undefined;
}

/** The files that a message names. */
export const MessageFiles = ({ metadata }: MetadataProps) =>
  metadata?.files?.length ? (
    <Suspense>
      <Files files={metadata.files} />
    </Suspense>
  ) : null;

/**
 * The files that the model read for a reply, and the passages that the reply cites without a quotation: cards below its
 * text.
 */
export const ReplySources = ({ metadata, text }: MetadataProps & { text: string }) =>
  metadata?.insightCards?.length || metadata?.filesReceipt?.length ? (
    <Suspense>
      <Sources metadata={metadata} text={text} />
    </Suspense>
  ) : null;

interface SourceLinksProps {
  /** The sources of the numbers; known once the reply is complete. */
  citations: readonly Citation[] | undefined;
  children: ReactNode;
}

/** Inside it, links to sources are numbers that open the viewer. */
export function SourceLinks({ citations, children }: SourceLinksProps) {
  const draw = useCallback(
    (href: string, content: ReactNode) => {
      const source = parseSourceHref(href);
      if (!source) return null;
      // The reply cites nothing: its text has links that only look like citations, such as those of an imported reply.
      if (citations?.length === 0) return content;
      return (
        <Suspense fallback={<sup>{content}</sup>}>
          <Chip source={source} citations={citations}>
            {content}
          </Chip>
        </Suspense>
      );
    },
    [citations],
  );
  return <LinkContext value={draw}>{children}</LinkContext>;
}
