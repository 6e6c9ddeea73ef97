import { useEffect, useEffectEvent, useState } from 'react';

/**
 * Takes files that are dropped anywhere on the page, unless a dialog is open.
 * @returns whether files are being dragged over the page
 */
export function useFileDrop(onFiles: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const drop = useEffectEvent(onFiles);
  useEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    const listen = (
      type: 'dragenter' | 'dragover' | 'dragleave' | 'drop',
      on: (event: DragEvent) => void,
    ) => window.addEventListener(type, (event) => isTaken(event) && on(event), { signal });
    listen('dragenter', () => setOver(true));
    // Without this the browser would open the file in place of the page.
    listen('dragover', (event) => event.preventDefault());
    listen('dragleave', ({ relatedTarget }) => relatedTarget === null && setOver(false));
    listen('drop', (event) => {
      event.preventDefault();
      setOver(false);
      const files = filesOf(event.dataTransfer);
      if (files.length > 0) drop(files);
    });
    return () => listeners.abort();
  }, []);
  return isOver;
}

const isTaken = ({ dataTransfer }: DragEvent): boolean =>
  dataTransfer?.types.includes('Files') === true && !document.querySelector('[role=dialog]');

/** The files of a drop; a folder has no bytes and is left out. */
const filesOf = (transfer: DataTransfer | null): File[] =>
  [...(transfer?.items ?? [])]
    .filter((item) => item.kind === 'file' && item.webkitGetAsEntry?.()?.isDirectory !== true)
    .flatMap((item) => item.getAsFile() ?? []);
