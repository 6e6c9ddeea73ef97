import type { DownloadOptions } from '../../../objects/index.ts';
import { contentDisposition } from '../../../text/file-name.ts';
import type { FileRecord } from './file-record.ts';

/** Lifetime of a download URL. */
export const DOWNLOAD_SECONDS = 60;

/** Types that browsers show without running scripts. Never SVG or HTML, which contain scripts. */
const RASTER_IMAGES = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
]);
/** Types that no browser runs or sniffs, and that programs need to open a download. */
const INERT = /^(application\/(pdf|zip|json|rtf|epub\+zip|vnd\.[a-z0-9.+-]+)|image\/hei[cf])$/;
const SCRIPTABLE = /html|xml(?!formats)|svg|script/;

/** The headers of a file's content: only types that cannot run are shown in the browser. */
export function downloadOptions(
  { name, type, kind }: Pick<FileRecord, 'name' | 'type' | 'kind'>,
  { download }: { download: boolean },
): DownloadOptions {
  const shown = shownType({ type, kind });
  if (shown && !download) return { type: shown, disposition: contentDisposition('inline', name) };
  const isInert = INERT.test(type) && !SCRIPTABLE.test(type);
  return {
    type: shown ?? (isInert ? type : 'application/octet-stream'),
    disposition: contentDisposition('attachment', name),
  };
}

function shownType({ type, kind }: Pick<FileRecord, 'type' | 'kind'>): string | undefined {
  if (RASTER_IMAGES.has(type) || type === 'application/pdf') return type;
  return type === 'text/plain' && kind === 'text' ? 'text/plain; charset=utf-8' : undefined;
}
