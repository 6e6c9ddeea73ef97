import { type Citation, type MessageMetadata, parseSourceHref } from '@stolas/backend/contract';
import { type ReactNode, useCallback } from 'react';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { LinkContext } from '../../ui/markdown/contexts.ts';

const parts = () => import('./citations/parts.ts');
const Chip = lazyPart(async () => (await parts()).SourceChip, { missing: 'fallback' });
const Files = lazyPart(async () => (await parts()).FileChips);
const Sources = lazyPart(async () => (await parts()).ReplySources);

export const FileViewer = lazyPart(async () => (await import('./viewer/viewer.tsx')).Viewer);

/** Shows the user's files to choose one. */
export const FilePicker = lazyPart(
  async () => (await import('./library/file-picker.tsx')).FilePicker,
  { missing: 'floating' },
);

/** The storage that the user's files take. */
export const StorageUse = lazyPart(
  async () => (await import('./library/storage-use.tsx')).StorageUse,
);

/** Loaded when the first file is added. */
export const UploadChips = lazyPart(async () => (await import('./upload/chips.tsx')).UploadChips);

/** Loaded when the upload button is first clicked. */
export const UploadModal = lazyPart(async () => (await import('./upload/modal.tsx')).UploadModal, {
  missing: 'floating',
});

/** Loaded when files are first dragged over the page, which accepts them without it too. */
export const DropOverlay = lazyPart(
  async () => (await import('./upload/drop-overlay.tsx')).DropOverlay,
  {
    missing: 'fallback',
  },
);

interface MetadataProps {
  metadata: MessageMetadata | undefined;
}

/** The files that a message names. */
export const MessageFiles = ({ metadata }: MetadataProps) =>
  metadata?.files?.length ? <Files files={metadata.files} /> : null;

/**
 * The files that the model read for a reply, and the passages that the reply cites without a quotation: cards below its
 * text.
 */
export const ReplySources = ({ metadata, text }: MetadataProps & { text: string }) =>
  metadata?.insightCards?.length || metadata?.filesReceipt?.length ? (
    <Sources metadata={metadata} text={text} />
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
        <Chip fallback={<sup>{content}</sup>} source={source} citations={citations}>
          {content}
        </Chip>
      );
    },
    [citations],
  );
  return <LinkContext value={draw}>{children}</LinkContext>;
}
