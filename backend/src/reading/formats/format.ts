import type { FileType, ReadPage } from '../port.ts';

export type PageDraft = Omit<ReadPage, 'n'>;

export interface ExtractOptions {
  progress: (done: number, total: number) => void;
  /** Records that the file has more text than is yielded. */
  truncate: () => void;
}

/** Yields the pages of a file in order. @throws UnreadableFileError; any other error means that the file is damaged */
export type Extract = (
  file: { path: string; name: string } & FileType,
  options: ExtractOptions,
) => AsyncIterable<PageDraft>;
