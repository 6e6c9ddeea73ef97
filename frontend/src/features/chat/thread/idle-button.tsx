import type { ComponentProps } from 'react';
import { IconButton } from '../../../ui/icon-button.tsx';
import { useIsBusy } from '../sending/busy.ts';

type IconButtonProps = ComponentProps<typeof IconButton>;

/** A small icon button of a message, disabled while a message is being sent or a reply generated in the conversation. */
export const IdleButton = ({
  conversationId,
  children,
  ...rest
}: Omit<IconButtonProps, 'asChild' | 'size'> & { conversationId: string }) => (
  <IconButton size="sm" asChild {...rest}>
    <Bare conversationId={conversationId}>{children}</Bare>
  </IconButton>
);

/** Each message has several: when their state changes, only the buttons are drawn again, without their tooltips. */
function Bare({
  conversationId,
  disabled = false,
  ...rest
}: ComponentProps<'button'> & { conversationId: string }) {
  const isBusy = useIsBusy(conversationId);
  return <button type="button" {...rest} disabled={disabled || isBusy} />;
}
