import type { Picture } from '../formats/load-sharp.ts';
import { MAX_PAGE_LENGTH } from '../limits.ts';
import { type FileType, type PageRect, UnreadableFileError } from '../port.ts';
import { typeOfFile } from './read.ts';

interface Named {
  path: string;
  name: string;
}

/** @throws UnreadableFileError, `unsupported` for a file without pictures of pages */
export async function renderPage(page: Named & { n: number; width: number }): Promise<Picture> {
  const { type, kind } = await typeOfFile(page);
  if (kind === 'pdf') return (await import('../formats/pdf/render.ts')).renderPdfPage(page);
  const isPage = page.n === 1 || type === 'image/tiff';
  if (kind !== 'image' || !isPage) throw new UnreadableFileError('unsupported', type);
  return (await import('../formats/image.ts')).renderImage({ ...page, type });
}

/** @throws UnreadableFileError, `unsupported` for another type than PDF */
export async function markPage(
  mark: Named & { n: number; text: string; start: number; end: number },
): Promise<PageRect[]> {
  const { type, kind } = await typeOfFile(mark);
  if (kind !== 'pdf') throw new UnreadableFileError('unsupported', type);
  return (await import('../formats/pdf/marks.ts')).markPdfPage(mark);
}

/** The text in the picture of a page. @throws UnreadableFileError, `unsupported` for a file without pictures of pages */
export async function recognisePage(
  page: Named & { n: number; withText: boolean; languages: string[] },
): Promise<string> {
  const { type, kind } = await typeOfFile(page);
  const picture = await (kind === 'pdf'
    ? (await import('../formats/pdf/render.ts')).pdfPageForOcr(page)
    : pictureOf({ ...page, type, kind }));
  const { recogniserOf } = await import('../formats/ocr.ts');
  const recogniser = await recogniserOf(page.languages);
  return (await recogniser.textOf(picture)).slice(0, MAX_PAGE_LENGTH);
}

async function pictureOf({ type, kind, ...page }: Named & FileType & { n: number }) {
  if (kind !== 'image') throw new UnreadableFileError('unsupported', type);
  return (await import('../formats/image.ts')).imageForOcr({ ...page, type });
}

/** @throws UnreadableFileError, `unsupported` for another type than an image */
export async function imageForModel(file: Named): Promise<Picture> {
  const { type, kind } = await typeOfFile(file);
  if (kind !== 'image') throw new UnreadableFileError('unsupported', type);
  return (await import('../formats/image.ts')).imageForModel({ ...file, type });
}

/** @throws UnreadableFileError, `unsupported` for another type than PNG */
export async function imageForCard(file: Named): Promise<Picture> {
  const { type } = await typeOfFile(file);
  if (type !== 'image/png') throw new UnreadableFileError('unsupported', type);
  return (await import('../formats/image.ts')).imageForCard({ ...file, type });
}
