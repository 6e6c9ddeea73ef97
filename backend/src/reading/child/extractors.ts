import type { Extract } from '../formats/format.ts';
import { BINARY_TYPES } from '../media-types.ts';
import type { FileType } from '../port.ts';

const { docx, xlsx, ods, pptx, odp, odt, epub, doc, xls, msg } = BINARY_TYPES;

/** Each extractor loads its packages itself: a child reads one file and needs few packages. */
const BY_TYPE: Record<string, () => Promise<Extract>> = {
  'application/pdf': async () => (await import('../formats/pdf/read.ts')).readPdf,
  'text/csv': async () => (await import('../formats/csv.ts')).readCsv,
  'text/tab-separated-values': async () => (await import('../formats/csv.ts')).readCsv,
  'text/html': async () => (await import('../formats/html.ts')).readHtml,
  'message/rfc822': async () => (await import('../formats/mail.ts')).readMail,
  'application/rtf': async () => (await import('../formats/rtf/read.ts')).readRtf,
  [docx.type]: async () => (await import('../formats/docx/read.ts')).readDocx,
  [xlsx.type]: async () => (await import('../formats/xlsx.ts')).readXlsx,
  [doc.type]: async () => (await import('../formats/doc.ts')).readDoc,
  [msg.type]: async () => (await import('../formats/mail.ts')).readOutlookMail,
  [xls.type]: async () => (await import('../formats/xlsx.ts')).readXls,
  [ods.type]: async () => (await import('../formats/xlsx.ts')).readOds,
  [pptx.type]: async () => (await import('../formats/pptx.ts')).readSlides,
  [odp.type]: async () => (await import('../formats/odf/read.ts')).readOdp,
  [odt.type]: async () => (await import('../formats/odf/read.ts')).readOdt,
  [epub.type]: async () => (await import('../formats/epub.ts')).readEpub,
};

/** The extractor of a type; null for types without readable text. */
export async function extractorOf({ type, kind }: FileType): Promise<Extract | null> {
  const load = BY_TYPE[type];
  if (load) return load();
  if (kind === 'image') return (await import('../formats/image.ts')).readImage;
  if (kind === 'text' || kind === 'markdown' || kind === 'code')
    return (await import('../formats/text.ts')).readText;
  return null;
}
