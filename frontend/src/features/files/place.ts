import type { SourceRef } from '@stolas/backend/contract';
import { useMemo } from 'react';
import { create } from 'zustand';
import { createPanelFocus } from '../../lib/panel-focus.ts';
import { setSearchParams, useSearchParam } from '../../lib/search-params.ts';

/** The file in the viewer, and the position in it. */
export interface FilePlace {
  fileId: string;
  /** From 1. */
  page: number;
  /** The marked passage: UTF-16 code units in the text of that page; `end` is exclusive. */
  mark?: { start: number; end: number };
}

const FILE_ID = /^[0-9a-f]{24}$/i;
const MARK = /^\d{1,9}-\d{1,9}$/;

/** The search parameters of a page without an open file. */
export const NO_FILE = { file: null, page: null, mark: null };

/** The place in the URL, `?file=…&page=37&mark=120-245`; null when none is open. */
export function useFilePlace(): FilePlace | null {
  const fileId = useSearchParam('file', FILE_ID);
  const page = Math.max(1, Math.trunc(Number(useSearchParam('page'))) || 1);
  const marked = useSearchParam('mark', MARK);
  return useMemo(() => {
    if (fileId === null) return null;
    const [start = 0, end = 0] = marked?.split('-').map(Number) ?? [];
    return { fileId, page, ...(end > start && { mark: { start, end } }) };
  }, [fileId, page, marked]);
}

/**
 * Counts the calls to open or to turn. The same position twice is two visits, because the reader may have scrolled
 * away.
 */
export const useVisits = create(() => ({ count: 0 }));
const countVisit = () => useVisits.setState(({ count }) => ({ count: count + 1 }));

const focus = createPanelFocus();
export const takeFocus = focus.take;

/** Opens a file beside the page, at a place. The focus returns to where it is now when the viewer closes. */
export function openFile({
  fileId,
  page = 1,
  mark,
}: Partial<FilePlace> & { fileId: string }): void {
  focus.leave();
  countVisit();
  goTo({
    file: fileId,
    page: String(page),
    ...(mark && { mark: `${mark.start}-${mark.end}` }),
  });
}

/** Opens the file of a source at its passage. */
export const openSource = ({ fileId, page, start, end }: SourceRef): void =>
  openFile({ fileId, page, mark: { start, end } });

/** Goes to another page of the open file. */
export function turnTo({ fileId, page }: Omit<FilePlace, 'mark'>): void {
  countVisit();
  goTo({ file: fileId, page: String(page) }, { replace: true });
}

export function closeFile(): void {
  focus.close(() => goTo({}, { replace: true }));
}

const goTo = (place: Record<string, string>, options?: { replace: boolean }): void =>
  setSearchParams({ ...NO_FILE, ...place }, options);
