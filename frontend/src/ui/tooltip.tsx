import { Tooltip as Radix } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';
import { Kbd } from './kbd.tsx';

/** One provider for all tooltips of a screen, so that skipping works. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={700} skipDelayDuration={300}>
      {children}
    </Radix.Provider>
  );
}

interface TooltipProps {
  label: string;
  shortcut?: string | undefined;
  side?: ComponentProps<typeof Radix.Content>['side'] | undefined;
  /** The one element that the tooltip explains; it must take a ref and props. */
  children: ReactNode;
}

export function Tooltip({ label, shortcut, side = 'top', children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 flex animate-fade items-center gap-2 rounded-sm border border-line bg-raised px-2.5 py-1.5 text-xs text-ink shadow-float select-none"
        >
          {label}
          {shortcut && <Kbd>{shortcut}</Kbd>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
