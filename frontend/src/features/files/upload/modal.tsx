import '@uppy/core/css/style.min.css';
import '@uppy/dashboard/css/style.min.css';
import './modal.css';
import DashboardModal from '@uppy/react/dashboard-modal';
import { memo, useEffect } from 'react';
import type { Uploader } from './uploader.ts';

interface UploadModalProps {
  uploader: Uploader;
  onClose: () => void;
}

/** Uppy's dashboard: choose files, see them, then upload them. Closed by Escape, and when every file is uploaded. */
export const UploadModal = memo(function UploadModal({ uploader, onClose }: UploadModalProps) {
  useEffect(() => {
    uploader.setModalOpen(true);
    // Uppy names the dialog's surroundings only.
    document.querySelector('.uppy-Dashboard-inner')?.setAttribute('aria-label', 'Attach files');
    return () => uploader.setModalOpen(false);
  }, [uploader]);
  return (
    <DashboardModal
      uppy={uploader.uppy}
      open
      onRequestClose={onClose}
      target="body"
      note={uploader.note}
      theme="light"
      closeModalOnClickOutside
      closeAfterFinish
      proudlyDisplayPoweredByUppy={false}
      showRemoveButtonAfterComplete
      fileManagerSelectionType="files"
    />
  );
});
