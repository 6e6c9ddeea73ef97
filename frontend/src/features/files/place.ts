import { useMemo } from 'react';
import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { create } from 'zustand';

/** What the viewer shows. */
export interface FilePlace {
  fileId: string;
  /** From 1. */
  page: number;
  /** The marked passage: UTF-16 code units in the text of that page; `end` is exclusive. */
  mark?: { start: number; end: number };
}

const FILE_ID = /^[0-9a-f]{24}$/i;
const PARAMETERS = ['file', 'page', 'mark'];

/** The place in the address `?file=…&page=37&mark=120-245`; null when none is open. */
export function readPlace(search: string): FilePlace | null {
  const params = new URLSearchParams(search);
  const fileId = params.get('file') ?? '';
  if (!FILE_ID.test(fileId)) return null;
  const [, start, end] = /^(\d{1,9})-(\d{1,9})$/.exec(params.get('mark') ?? '') ?? [];
  const mark = { start: Number(start), end: Number(end) };
  return {
    fileId,
    page: Math.max(1, Math.trunc(Number(params.get('page'))) || 1),
    ...(mark.end > mark.start && { mark }),
  };
}

/** The open place. It is part of the address, so that reload and the back button keep it. */
export function useFilePlace(): FilePlace | null {
  const search = useSearch();
  return useMemo(() => readPlace(search), [search]);
}

/** Counts the calls to open or to turn: the same place twice is two visits, because the reader may have scrolled away. */
export const useVisits = create(() => ({ count: 0 }));
const countVisit = () => useVisits.setState(({ count }) => ({ count: count + 1 }));

let opener: Element | null = null;
let isFocusWanted = false;

/** Opens a file beside the page, at a place. The focus returns to where it is now when the viewer closes. */
export function openFile({
  fileId,
  page = 1,
  mark,
}: Partial<FilePlace> & { fileId: string }): void {
  opener = document.activeElement;
  isFocusWanted = true;
  countVisit();
  goTo({
    file: fileId,
    page: String(page),
    ...(mark && { mark: `${mark.start}-${mark.end}` }),
  });
}

/** Whether the viewer has to take the focus: once after it was opened, never after a page was loaded with it. */
export function takeFocus(): boolean {
  const isWanted = isFocusWanted;
  isFocusWanted = false;
  return isWanted;
}

/** Goes to another page of the open file. */
export function turnTo({ fileId, page }: Omit<FilePlace, 'mark'>): void {
  countVisit();
  goTo({ file: fileId, page: String(page) }, { replace: true });
}

export function closeFile(): void {
  goTo({}, { replace: true });
  if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
  opener = null;
}

function goTo(place: Record<string, string>, options?: { replace: boolean }): void {
  const params = new URLSearchParams(location.search);
  for (const name of PARAMETERS) params.delete(name);
  for (const [name, value] of Object.entries(place)) params.set(name, value);
  navigate(params.size > 0 ? `${location.pathname}?${params}` : location.pathname, options);
}
