import type { User } from '@stolas/backend/contract';
import { Paperclip } from 'lucide-react';
import { Suspense, useState } from 'react';
import { IconButton } from '../../../ui/icon-button.tsx';
import { type Uploader, UploadModal } from '../../files/index.ts';
import { uploaderFor } from './attachments.ts';

/** Opens the modal uploader of the next message. */
export function AttachButton({ user, conversationId }: { user: User; conversationId: string }) {
  const [open, setOpen] = useState<{ uploader: Uploader; conversationId: string } | null>(null);
  const onClick = () =>
    uploaderFor(user, conversationId).then(
      (uploader) => setOpen({ uploader, conversationId }),
      // The user has been told.
      () => undefined,
    );
  return (
    <>
      <IconButton label="Attach files" aria-haspopup="dialog" onClick={() => void onClick()}>
        <Paperclip aria-hidden="true" />
      </IconButton>
      {open?.conversationId === conversationId && (
        <Suspense>
          <UploadModal uploader={open.uploader} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </>
  );
}
