import type { FileType, ReadPage } from '../port.ts';

export type PageDraft = Omit<ReadPage, 'n'>;

export interface ExtractOptions {
  progress: (done: number, total: number) => void;
  /** Whether the text of pictures is recognised. */
  ocr: boolean;
}

/** Yields the pages of a file in order. @throws UnreadableFileError; any other error means that the file is damaged */
export type Extract = (
  file: { path: string; name: string } & FileType,
  options: ExtractOptions,
) => AsyncIterable<PageDraft>;

/**
 * The extractor of a type; null when files of this type have no readable text. Each loads its packages itself: a child reads one
 * file, and most packages are not needed for it.
 */
export async function extractorOf({ type, kind }: FileType): Promise<Extract | null> {
  switch (type) {
    case 'application/pdf':
      return (await import('../formats/pdf/read.ts')).readPdf;
    default:
      return kind === 'text' || kind === 'markdown' || kind === 'code'
        ? (await import('../formats/text.ts')).readText
        : null;
  }
}
