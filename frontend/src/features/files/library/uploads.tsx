import { t } from 'virtual:texts/library';
import type { User } from '@stolas/backend/contract';
import { useQueryClient } from '@tanstack/react-query';
import { Upload as UploadIcon } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { updateFile } from '../../../realtime/index.ts';
import { Button } from '../../../ui/button.tsx';
import { UploadChips, UploadModal } from '../lazy.tsx';
import { openUploader, resumeUploader } from '../upload/open-uploader.ts';
import { useUploads } from '../upload/upload-store.ts';
import type { Uploader } from '../upload/uploader.ts';

const uploaderIdOf = ({ id }: User): string => `library-${id}`;

/** The uploader of the library: files that no message names yet, as large as the plan allows. */
function useOpenUploader(user: User): () => Promise<Uploader> {
  const client = useQueryClient();
  return useCallback(
    () =>
      openUploader({
        id: uploaderIdOf(user),
        purpose: 'library',
        user,
        onStored: (file) => updateFile(client, file),
      }),
    [client, user],
  );
}

export function UploadButton({ user }: { user: User }) {
  const open = useOpenUploader(user);
  const [uploader, setUploader] = useState<Uploader | null>(null);
  // One function: Uppy's modal takes another one for changed options.
  const onClose = useCallback(() => setUploader(null), []);
  return (
    <>
      <Button
        variant="primary"
        aria-haspopup="dialog"
        // A notification has shown the failure.
        onClick={() => void open().then(setUploader, () => undefined)}
      >
        <UploadIcon aria-hidden="true" className="size-4" />
        {t('upload')}
      </Button>
      {uploader && <UploadModal uploader={uploader} onClose={onClose} />}
    </>
  );
}

/** Uploads that have not ended, from this page or a former one. */
export function RunningUploads({ user }: { user: User }) {
  const id = uploaderIdOf(user);
  const uploads = useUploads(id);
  const open = useOpenUploader(user);
  useEffect(() => {
    // A notification shows the failure.
    void resumeUploader(id, () => open().catch(() => undefined));
  }, [id, open]);
  if (uploads.length === 0) return null;
  return (
    <div className="mt-4">
      <UploadChips files={[]} uploads={uploads} uploaderId={id} onRemoveFile={() => undefined} />
    </div>
  );
}
