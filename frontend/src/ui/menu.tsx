import { Check } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ComponentProps } from 'react';
import { cn } from './cn.ts';

export const Menu = DropdownMenu.Root;

/** Give it one child, the button that opens the menu. */
export function MenuTrigger(props: Omit<ComponentProps<typeof DropdownMenu.Trigger>, 'asChild'>) {
  return <DropdownMenu.Trigger asChild {...props} />;
}

export function MenuContent({ className, ...rest }: ComponentProps<typeof DropdownMenu.Content>) {
  return (
    <DropdownMenu.Portal>
      <DropdownMenu.Content
        sideOffset={6}
        collisionPadding={8}
        className={cn(
          'z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 animate-pop overflow-y-auto overscroll-contain rounded-lg border border-line bg-raised p-1.5 shadow-float',
          className,
        )}
        {...rest}
      />
    </DropdownMenu.Portal>
  );
}

const ITEM = cn(
  'flex min-h-9 items-center gap-2.5 rounded-sm px-2.5 text-sm outline-none select-none data-highlighted:bg-hover',
  'data-disabled:opacity-50 pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted',
);

interface MenuItemProps extends ComponentProps<typeof DropdownMenu.Item> {
  danger?: boolean;
}

/** An icon may come first among the children; it is sized here. */
export function MenuItem({ danger = false, className, ...rest }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      className={cn(ITEM, danger && 'text-danger [&_svg]:text-danger', className)}
      {...rest}
    />
  );
}

/** Holds items of which one is chosen. Its value changes when an item is chosen, not while keys move between them. */
export const MenuChoice = DropdownMenu.RadioGroup;

export function MenuChoiceItem({
  children,
  ...rest
}: ComponentProps<typeof DropdownMenu.RadioItem>) {
  return (
    <DropdownMenu.RadioItem className={ITEM} {...rest}>
      {children}
      <DropdownMenu.ItemIndicator className="ms-auto">
        <Check aria-hidden="true" />
      </DropdownMenu.ItemIndicator>
    </DropdownMenu.RadioItem>
  );
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className="-mx-1.5 my-1.5 h-px bg-line" />;
}
