import { t } from 'virtual:texts/chat';
import { Dialog } from 'radix-ui';
import { type PointerEvent, type ReactNode, useRef } from 'react';
import { setDrawerOpen } from '../sidebar-store.ts';

/** A drawer that is pushed this far to the left closes. */
const SWIPE_PX = 60;

/** The sidebar on a phone: over the page, closed by Back, by Escape, by a swipe or by a tap beside it. */
export function Drawer({ children }: { children: ReactNode }) {
  // Radix returns the focus only to a trigger.
  const opener = useRef<Element | null>(null);
  return (
    <Dialog.Root open onOpenChange={setDrawerOpen}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-30 animate-fade bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={() => {
            opener.current = document.activeElement;
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            const isLost = document.activeElement === document.body;
            if (isLost && opener.current instanceof HTMLElement) opener.current.focus();
          }}
          onEscapeKeyDown={(event) => {
            // In a text field Escape ends the editing.
            if (event.target instanceof HTMLInputElement) event.preventDefault();
          }}
          onPointerDown={followSwipe}
          className="fixed inset-y-0 left-0 z-40 w-[min(20rem,calc(100vw-3rem))] touch-pan-y border-r border-line bg-surface pt-[env(safe-area-inset-top)] pb-[env(safe-area-inset-bottom)] pl-[env(safe-area-inset-left)] transition-transform duration-200 ease-out outline-none starting:-translate-x-full"
        >
          <Dialog.Title className="sr-only">{t('conversations')}</Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Moves the drawer with a finger that pushes it to the left. */
function followSwipe({ currentTarget: drawer, clientX, pointerType }: PointerEvent<HTMLElement>) {
  if (pointerType !== 'touch') return;
  let shift = 0;
  const gesture = new AbortController();
  const move = (to: number) => {
    shift = Math.min(0, to);
    drawer.style.transform = shift === 0 ? '' : `translateX(${shift}px)`;
  };
  const { signal } = gesture;
  window.addEventListener('pointermove', (event) => move(event.clientX - clientX), { signal });
  const end = (isSwipe: boolean) => {
    gesture.abort();
    if (isSwipe && shift < -SWIPE_PX) setDrawerOpen(false);
    else move(0);
  };
  window.addEventListener('pointerup', () => end(true), { signal });
  // The browser scrolls instead.
  window.addEventListener('pointercancel', () => end(false), { signal });
}
