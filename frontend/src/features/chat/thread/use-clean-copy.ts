import { type ClipboardEvent, useEffect, useRef } from 'react';

/** Copies a selection of the thread with its structure and without the page's colours. */
export function useCleanCopy(): (event: ClipboardEvent) => void {
  const htmlOf = useRef<(range: Range) => string>(undefined);
  useEffect(() => {
    const load = async () => {
      // Without the code, the browser copies the selection itself.
      const loaded = await import('./plain-html.ts').catch(() => undefined);
      htmlOf.current = loaded?.selectionHtml;
    };
    const onSelect = () => void load();
    document.addEventListener('selectstart', onSelect, { once: true });
    return () => document.removeEventListener('selectstart', onSelect);
  }, []);

  return (event) => {
    const selection = document.getSelection();
    const isField = event.target instanceof HTMLElement && event.target.matches('input, textarea');
    if (isField || !htmlOf.current || !selection?.rangeCount || selection.isCollapsed) return;
    event.clipboardData.setData('text/plain', selection.toString());
    event.clipboardData.setData('text/html', htmlOf.current(selection.getRangeAt(0)));
    event.preventDefault();
  };
}
