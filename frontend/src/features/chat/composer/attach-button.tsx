import { t } from 'virtual:texts/chat';
import type { User } from '@stolas/backend/contract';
import { Paperclip } from 'lucide-react';
import { memo, useCallback, useRef, useState } from 'react';
import { IconButton } from '../../../ui/icon-button.tsx';
import { type Uploader, UploadModal } from '../../files/index.ts';
import { uploaderFor } from '../sending/attachments.ts';
import { focusComposer } from '../text-box.ts';

/** Opens the modal uploader of the composer on the screen. */
export const openUploads = (): void =>
  document.querySelector<HTMLButtonElement>('[data-attach]')?.click();

const NONE: readonly File[] = [];

/** Opens the modal uploader of the next message, and over it the system's dialog. */
export const AttachButton = memo(function AttachButton({
  user,
  conversationId,
}: {
  user: User;
  conversationId: string;
}) {
  const [open, setOpen] = useState<{ uploader: Uploader; conversationId: string } | null>(null);
  // One function: Uppy's modal takes another one for changed options.
  const close = useCallback(() => setOpen(null), []);
  const [chosen, setChosen] = useState(NONE);
  const input = useRef<HTMLInputElement>(null);
  const onClick = () => {
    setChosen(NONE);
    // At once, and not when the uploader has loaded: browsers open the dialog only during a click.
    input.current?.click();
    uploaderFor(user, conversationId).then(
      (uploader) => setOpen({ uploader, conversationId }),
      // `openUploader` shows a notice.
      () => undefined,
    );
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple={!user.demo}
        onChange={({ currentTarget }) => {
          setChosen([...(currentTarget.files ?? [])]);
          // The same file can be chosen again.
          currentTarget.value = '';
        }}
      />
      <IconButton label={t('attachFiles')} aria-haspopup="dialog" data-attach onClick={onClick}>
        <Paperclip aria-hidden="true" />
      </IconButton>
      {open?.conversationId === conversationId && (
        <UploadModal
          uploader={open.uploader}
          chosen={chosen}
          onClose={close}
          focusNext={focusComposer}
        />
      )}
    </>
  );
});
