import '@uppy/core/css/style.min.css';
import '@uppy/dashboard/css/style.min.css';
import './modal.css';
import { t } from 'virtual:texts/uploader';
import type { UploadResult } from '@uppy/core';
import type Dashboard from '@uppy/dashboard';
import DashboardModal from '@uppy/react/dashboard-modal';
import { memo, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { FileMeta, UploadBody } from './store-calls.ts';
import type { Uploader } from './uploader.ts';
import { isNew } from './uppy-files.ts';

interface UploadModalProps {
  uploader: Uploader;
  onClose: () => void;
  /** The files chosen in the system's dialog; adding them starts their upload. */
  chosen?: readonly File[];
  /** Moves the focus when the dialog has closed because all is uploaded; left out, it goes back to the opener. */
  focusNext?: () => void;
}

/**
 * Uppy's dashboard to choose files and follow their uploads. Closed by Escape, and when all uploads that it started
 * have ended.
 */
export const UploadModal = memo(function UploadModal({
  uploader,
  onClose,
  chosen,
  focusNext,
}: UploadModalProps) {
  const isDone = useCloseAfterUploads(uploader, onClose);
  useProperEnd(uploader, () => {
    if (isDone.current) focusNext?.();
  });
  useEffect(() => {
    uploader.setModalOpen(true);
    // Uppy names the dialog's surroundings only.
    document.querySelector('.uppy-Dashboard-inner')?.setAttribute('aria-label', t('attach'));
    return () => uploader.setModalOpen(false);
  }, [uploader]);
  useChosen(uploader, chosen);
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

/**
 * Closes the dialog when its uploads have ended; it stays open with files that were refused or have failed. Uppy's
 * option would also close it for an upload from before it was opened.
 * @returns whether it was closed
 */
function useCloseAfterUploads({ uppy }: Uploader, onClose: () => void): RefObject<boolean> {
  const isDone = useRef(false);
  const [started] = useState(() => new Set<string>());
  useEffect(() => {
    let isRefused = false;
    const onStart = (uploadId: string) => void started.add(uploadId);
    const onRefused = () => {
      isRefused = true;
    };
    const onComplete = ({ uploadID = '', failed = [] }: UploadResult<FileMeta, UploadBody>) => {
      if (!started.delete(uploadID) || failed.length > 0 || isRefused) return;
      const isGoing = Object.keys(uppy.getState().currentUploads).some((id) => started.has(id));
      if (isGoing || uppy.getFiles().some(isNew)) return;
      isDone.current = true;
      onClose();
    };
    uppy.on('upload', onStart).on('restriction-failed', onRefused).on('complete', onComplete);
    return () =>
      void uppy
        .off('upload', onStart)
        .off('restriction-failed', onRefused)
        .off('complete', onComplete);
  }, [uppy, started, onClose]);
  return isDone;
}

/** Adds each choice once, when the dialog can follow its uploads. */
function useChosen(uploader: Uploader, chosen: readonly File[] = NONE): void {
  const added = useRef(NONE);
  useEffect(() => {
    if (chosen.length === 0 || added.current === chosen) return;
    added.current = chosen;
    uploader.add(chosen);
  }, [uploader, chosen]);
}

const NONE: readonly File[] = [];

/** Uppy would keep the Tab key in a dialog that was removed while open, and leave no element focused. */
function useProperEnd({ uppy }: Uploader, onEnd: () => void): void {
  const end = useRef(onEnd);
  const [opener] = useState(() => document.activeElement);
  // A layout effect ends before the dialog is removed.
  useLayoutEffect(
    () => () => {
      void uppy.getPlugin<Dashboard<FileMeta, UploadBody>>('DashboardModal')?.closeModal();
      setTimeout(() => {
        end.current();
        const isLost = document.activeElement === document.body;
        if (isLost && opener instanceof HTMLElement) opener.focus();
      });
    },
    [uppy, opener],
  );
}
