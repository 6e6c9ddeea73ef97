import type { Extract } from '../formats/format.ts';
import type { FileType } from '../port.ts';

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
