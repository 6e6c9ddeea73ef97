import { Dialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { setDrawerOpen } from './sidebar-store.ts';

/** The sidebar on a phone: over the page, closed by Escape or by a tap beside it. */
export function Drawer({ children }: { children: ReactNode }) {
  return (
    <Dialog.Root open onOpenChange={setDrawerOpen}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-30 animate-fade bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-40 w-[min(20rem,calc(100vw-3rem))] animate-fade border-r border-line bg-surface pb-[env(safe-area-inset-bottom)] outline-none"
        >
          <Dialog.Title className="sr-only">Conversations</Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
