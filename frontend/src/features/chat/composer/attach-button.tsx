import { t } from 'virtual:texts/chat';
import type { User } from '@stolas/backend/contract';
import { Paperclip } from 'lucide-react';
import { Suspense, useCallback, useState } from 'react';
import { IconButton } from '../../../ui/icon-button.tsx';
import { type Uploader, UploadModal } from '../../files/index.ts';
import { uploaderFor } from '../sending/attachments.ts';
import { focusComposer } from './text-box.ts';

/** Opens the modal uploader of the composer on the screen. */
export const openUploads = (): void =>
  document.querySelector<HTMLButtonElement>('[data-attach]')?.click();

/** Opens the modal uploader of the next message. */
export function AttachButton({ user, conversationId }: { user: User; conversationId: string }) {
  const [open, setOpen] = useState<{ uploader: Uploader; conversationId: string } | null>(null);
  // One function: Uppy's modal takes another one for changed options.
  const close = useCallback(() => setOpen(null), []);
  const onClick = () =>
    uploaderFor(user, conversationId).then(
      (uploader) => setOpen({ uploader, conversationId }),
      // `openUploader` shows a notice.
      () => undefined,
    );
  return (
    <>
      <IconButton
        label={t('attachFiles')}
        aria-haspopup="dialog"
        data-attach
        onClick={() => void onClick()}
      >
        <Paperclip aria-hidden="true" />
      </IconButton>
      {open?.conversationId === conversationId && (
        <Suspense>
          <UploadModal uploader={open.uploader} onClose={close} focusNext={focusComposer} />
        </Suspense>
      )}
    </>
  );
}
