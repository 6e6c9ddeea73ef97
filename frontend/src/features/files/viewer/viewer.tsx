import { Dialog } from 'radix-ui';
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import { closeFile, type FilePlace, takeFocus, useVisits } from '../place.ts';
import { FileView } from './file-view.tsx';
import { ViewerResizer } from './viewer-resizer.tsx';
import { useViewerWidth } from './viewer-store.ts';

/** Below this width the viewer covers the page (docs/product.md, 'Files'). */
const WIDE = '(min-width: 1024px)';

/** A file beside the page; on narrow screens in its place. */
export function Viewer({ place }: { place: FilePlace }) {
  const isWide = useMedia(WIDE);
  const view = <FileView key={place.fileId} place={place} isSheet={!isWide} />;
  return isWide ? <Panel>{view}</Panel> : <Sheet>{view}</Sheet>;
}

function Panel({ children }: { children: ReactNode }) {
  const { width } = useViewerWidth();
  const panel = useRef<HTMLElement>(null);
  const { count: visit } = useVisits();
  // A page that was loaded with an open viewer leaves the focus where the page puts it.
  useEffect(() => {
    if (visit > 0 && takeFocus()) panel.current?.focus({ preventScroll: true });
  }, [visit]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape closes it from everything in it
    <aside
      ref={panel}
      aria-label="File viewer"
      tabIndex={-1}
      style={{ width }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        // Escape also stops a reply; here it closes.
        event.preventDefault();
        closeFile();
      }}
      className="relative flex h-dvh max-w-[60vw] shrink-0 flex-col border-l border-line bg-surface outline-none print:hidden"
    >
      <ViewerResizer />
      {children}
    </aside>
  );
}

const Sheet = ({ children }: { children: ReactNode }) => (
  <Dialog.Root open onOpenChange={(open) => !open && closeFile()}>
    <Dialog.Portal>
      <Dialog.Content
        aria-describedby={undefined}
        tabIndex={-1}
        // Not to the first button, whose tooltip would open.
        onOpenAutoFocus={(event) => {
          event.preventDefault();
          if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
        }}
        // `closeFile` gives the focus back.
        onCloseAutoFocus={(event) => event.preventDefault()}
        className="fixed inset-0 z-40 flex animate-fade flex-col bg-surface pt-[env(safe-area-inset-top)] pb-[env(safe-area-inset-bottom)] outline-none"
      >
        <Dialog.Title className="sr-only">File viewer</Dialog.Title>
        {children}
      </Dialog.Content>
    </Dialog.Portal>
  </Dialog.Root>
);

const useMedia = (query: string): boolean =>
  useSyncExternalStore(
    (listener) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => window.matchMedia(query).matches,
  );
