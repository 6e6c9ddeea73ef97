import type { ComponentProps } from 'react';
import { IconButton } from '../../../ui/icon-button.tsx';
import { useIsBusy } from '../sending/busy.ts';

type IconButtonProps = ComponentProps<typeof IconButton>;

interface Waiting {
  conversationId: string;
  /** The user whose messages and replies disable the button; by default everybody's do. */
  startedBy?: string | undefined;
}

/** A small icon button of a message, disabled while a message is being sent or a reply generated in the conversation. */
export const IdleButton = ({
  conversationId,
  startedBy,
  children,
  ...rest
}: Omit<IconButtonProps, 'asChild' | 'size'> & Waiting) => (
  <IconButton size="sm" asChild {...rest}>
    <Bare conversationId={conversationId} startedBy={startedBy}>
      {children}
    </Bare>
  </IconButton>
);

/** Each message has several: when their state changes, only the buttons are drawn again, without their tooltips. */
function Bare({
  conversationId,
  startedBy,
  disabled = false,
  ...rest
}: ComponentProps<'button'> & Waiting) {
  const isBusy = useIsBusy(conversationId, startedBy);
  return <button type="button" {...rest} disabled={disabled || isBusy} />;
}
