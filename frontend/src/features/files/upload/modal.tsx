import '@uppy/core/css/style.min.css';
import '@uppy/dashboard/css/style.min.css';
import './modal.css';
import { t } from 'virtual:texts/uploader';
import type { UploadResult } from '@uppy/core';
import type Dashboard from '@uppy/dashboard';
import DashboardModal from '@uppy/react/dashboard-modal';
import { memo, useEffect, useLayoutEffect, useState } from 'react';
import type { FileMeta, UploadBody } from './store-calls.ts';
import type { Uploader } from './uploader.ts';
import { isNew } from './uppy-files.ts';

interface UploadModalProps {
  uploader: Uploader;
  onClose: () => void;
}

/** Uppy's dashboard: choose files, see them, then upload them. Closed by Escape, and when what it started is uploaded. */
export const UploadModal = memo(function UploadModal({ uploader, onClose }: UploadModalProps) {
  useProperEnd(uploader);
  useCloseAfterUploads(uploader, onClose);
  useEffect(() => {
    uploader.setModalOpen(true);
    // Uppy names the dialog's surroundings only.
    document.querySelector('.uppy-Dashboard-inner')?.setAttribute('aria-label', t('attach'));
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
      proudlyDisplayPoweredByUppy={false}
      showRemoveButtonAfterComplete
      fileManagerSelectionType="files"
    />
  );
});

/** Uppy's own option would close the dialog under the user's hands when an upload from before it was opened ends. */
function useCloseAfterUploads({ uppy }: Uploader, onClose: () => void): void {
  const [started] = useState(() => new Set<string>());
  useEffect(() => {
    const onStart = (uploadId: string) => void started.add(uploadId);
    const onComplete = ({ uploadID = '', failed = [] }: UploadResult<FileMeta, UploadBody>) => {
      const isWhole = failed.length === 0 && !uppy.getFiles().some(isNew);
      if (started.has(uploadID) && isWhole) onClose();
    };
    uppy.on('upload', onStart).on('complete', onComplete);
    return () => void uppy.off('upload', onStart).off('complete', onComplete);
  }, [uppy, started, onClose]);
}

/** Uppy would keep the Tab key to a dialog that was removed while open, and leave the focus nowhere. */
function useProperEnd({ uppy }: Uploader): void {
  const [opener] = useState(() => document.activeElement);
  // A layout effect ends before the dialog is removed.
  useLayoutEffect(
    () => () => {
      void uppy.getPlugin<Dashboard<FileMeta, UploadBody>>('DashboardModal')?.closeModal();
      setTimeout(() => {
        const isLost = document.activeElement === document.body;
        if (isLost && opener instanceof HTMLElement) opener.focus();
      });
    },
    [uppy, opener],
  );
}
