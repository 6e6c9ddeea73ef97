import type { Unread } from '../../../contract/files.ts';
import { pageRanges } from '../../../contract/page-ranges.ts';
import { type FileRecord, namesUnread } from '../library/file-record.ts';

/** What the model is given of pages that were not read; undefined when all of the file was read. */
export function unreadRemark(file: FileRecord): string | undefined {
  const { unread = [], recognition } = file;
  if (unread.length === 0 || !namesUnread(file)) return undefined;
  const parts = unread.map((one) => `${placesOf(one)} ${reasonOf(one, recognition !== undefined)}`);
  return `Not all of this file was read: ${parts.join('; ')}. When the answer may stand there, say that these pages were not read.`;
}

function reasonOf({ kind, count }: Unread, isRunning: boolean): string {
  const [is, has] = count === 1 ? ['is a picture', 'has'] : ['are pictures', 'have'];
  const reasons = {
    picture: `${is} whose text ${isRunning ? 'is still being recognised' : 'was not recognised'}`,
    no_text: `${is} in which no text was recognised`,
    font: `${has} a font that does not say which letters it shows`,
    image: `${has} pictures or drawings that were not read`,
    object: `${has} charts, formulas, embedded objects or pictures that were not read`,
  };
  return reasons[kind];
}

/** Such as `pages 3–12 and 15`. */
function placesOf({ count, pages }: Unread): string {
  const more = count > pages.length ? [`${count - pages.length} more`] : [];
  const all = [...pageRanges(pages), ...more];
  const last = all.pop() ?? '';
  return `${count === 1 ? 'page' : 'pages'} ${all.length > 0 ? `${all.join(', ')} and ${last}` : last}`;
}
