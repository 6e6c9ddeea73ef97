import { t as common } from 'virtual:texts/app';
import { ArrowLeft, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type ReactNode, useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react';
import { cn } from './cn.ts';
import { IconButton } from './icon-button.tsx';

/** Below this width a panel covers the page. */
const WIDE = '(min-width: 1024px)';

interface SidePanelProps {
  /** Its name for screen readers. */
  label: string;
  onClose: () => void;
  /** CSS width beside the page; 60% of the page at most. */
  width?: number | string;
  /** It covers the page, and the rest of the page cannot be reached. */
  isFull?: boolean;
  /** Changes when something else is opened in it. */
  visit?: number;
  /** Whether it takes the focus when it opens beside the page and when `visit` changes. */
  takesFocus?: () => boolean;
  children: ReactNode;
}

/** A panel beside the page; on narrow screens in its place. */
export function SidePanel(props: SidePanelProps) {
  return useIsWide() ? <Panel {...props} /> : <Sheet {...props} />;
}

function Panel({
  label,
  onClose,
  width = 'min(50vw, 56rem)',
  isFull = false,
  visit = 0,
  takesFocus = () => true,
  children,
}: SidePanelProps) {
  const panel = useRef<HTMLElement>(null);
  const focus = useEffectEvent(() => {
    if (takesFocus()) panel.current?.focus({ preventScroll: true });
  });
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another visit takes the focus anew
  useEffect(() => focus(), [visit]);
  useEffect(() => (isFull ? isolate(panel.current) : undefined), [isFull]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape closes it from everything in it
    <aside
      ref={panel}
      aria-label={label}
      tabIndex={-1}
      style={isFull ? undefined : { width }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        // Escape also stops a reply; here it closes.
        event.preventDefault();
        onClose();
      }}
      className={cn(
        'flex h-dvh flex-col bg-surface outline-none print:hidden',
        isFull ? 'fixed inset-0 z-30' : 'relative max-w-[60vw] shrink-0 border-line border-l',
      )}
    >
      {children}
    </aside>
  );
}

/** Makes what stands beside an element inert. @returns a function that ends it */
function isolate(element: HTMLElement | null): () => void {
  const others = [...(element?.parentElement?.children ?? [])].filter(
    (it): it is HTMLElement => it instanceof HTMLElement && it !== element && !it.inert,
  );
  for (const other of others) other.inert = true;
  return () => {
    for (const other of others) other.inert = false;
  };
}

const Sheet = ({ label, onClose, children }: SidePanelProps) => (
  <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
    <Dialog.Portal>
      <Dialog.Content
        aria-describedby={undefined}
        tabIndex={-1}
        // Not the first button: its tooltip would open.
        onOpenAutoFocus={(event) => {
          event.preventDefault();
          if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
        }}
        // `onClose` gives the focus back.
        onCloseAutoFocus={(event) => event.preventDefault()}
        className="fixed inset-0 z-40 flex animate-fade flex-col bg-surface pt-[env(safe-area-inset-top)] pr-[env(safe-area-inset-right)] pb-[env(safe-area-inset-bottom)] pl-[env(safe-area-inset-left)] outline-none"
      >
        <Dialog.Title className="sr-only">{label}</Dialog.Title>
        {children}
      </Dialog.Content>
    </Dialog.Portal>
  </Dialog.Root>
);

interface PanelHeaderProps {
  title: string;
  onClose: () => void;
  /** Buttons for the content of the panel. */
  children?: ReactNode;
}

/** The title of a panel and its close button. */
export function PanelHeader({ title, onClose, children }: PanelHeaderProps) {
  const isWide = useIsWide();
  return (
    <header className="flex min-h-14 shrink-0 items-center gap-1 border-line border-b px-2 py-1">
      {!isWide && (
        <IconButton label={common('back')} side="bottom" onClick={onClose}>
          <ArrowLeft aria-hidden="true" />
        </IconButton>
      )}
      <h2 className="min-w-0 flex-1 truncate px-2 font-medium text-sm" title={title}>
        <bdi>{title}</bdi>
      </h2>
      {children}
      {isWide && (
        <IconButton label={common('close')} shortcut="Esc" side="bottom" onClick={onClose}>
          <X aria-hidden="true" />
        </IconButton>
      )}
    </header>
  );
}
export const isWide = (): boolean => window.matchMedia(WIDE).matches;

/** Whether a panel stands beside the page. */
export const useIsWide = (): boolean =>
  useSyncExternalStore((listener) => {
    const media = window.matchMedia(WIDE);
    media.addEventListener('change', listener);
    return () => media.removeEventListener('change', listener);
  }, isWide);
