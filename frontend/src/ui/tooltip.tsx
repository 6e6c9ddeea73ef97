import { Tooltip as Radix } from 'radix-ui';
import {
  type ComponentProps,
  type FocusEvent,
  type ReactElement,
  type ReactNode,
  useState,
} from 'react';
import { Kbd } from './kbd.tsx';

/** Encloses a page with tooltips: they share Radix's delays, which are those of docs/product.md, 'Limits'. */
export const TooltipProvider = Radix.Provider;

interface TooltipProps {
  label: ReactNode;
  shortcut?: string | undefined;
  side?: ComponentProps<typeof Radix.Content>['side'];
  /** The one element that the tooltip explains; it must take props. */
  children: ReactElement;
}

/** Explains an element under the pointer or the focus. */
export function Tooltip({ label, shortcut, side, children }: TooltipProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Radix.Root open={isOpen} onOpenChange={setOpen}>
      <Radix.Trigger asChild onFocus={keepClosedOnTouch}>
        {children}
      </Radix.Trigger>
      {/* A closed one costs little: each message has up to ten. */}
      {isOpen && (
        <Radix.Portal>
          <Radix.Content
            side={side}
            sideOffset={6}
            collisionPadding={8}
            className="z-50 flex w-max max-w-[min(22rem,calc(100vw-1rem))] animate-fade items-center gap-2 rounded-sm border border-line bg-raised px-2.5 py-1.5 text-xs text-ink shadow-float select-none"
          >
            {label}
            {shortcut && <Kbd>{shortcut}</Kbd>}
          </Radix.Content>
        </Radix.Portal>
      )}
    </Radix.Root>
  );
}

/** On touch a closing dialog moves the focus: the tooltip would cover what stands there. */
function keepClosedOnTouch(event: FocusEvent): void {
  if (window.matchMedia('(hover: none)').matches) event.preventDefault();
}
