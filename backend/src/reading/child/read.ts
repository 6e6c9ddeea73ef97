import { open } from 'node:fs/promises';
import { extensionOf, typeOf } from '../file-type.ts';
import type { PageDraft } from '../formats/format.ts';
import { MAX_PAGE_LENGTH, MAX_PAGES, MAX_TEXT_LENGTH } from '../limits.ts';
import { binaryTypeOf } from '../media-types.ts';
import { type FileType, UnreadableFileError } from '../port.ts';
import type { Message } from '../protocol.ts';
import { extractorOf } from './extractors.ts';

const HEAD_BYTES = 64 * 1024;
const PROGRESS_EVERY_MS = 100;

type Send = (message: Message) => void;
export interface ReadRequest {
  path: string;
  name: string;
  thumbnailWidth?: number | undefined;
}

/** The type of a file on disk. @throws UnreadableFileError `empty` */
export async function typeOfFile({
  path,
  name,
}: {
  path: string;
  name: string;
}): Promise<FileType> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
    if (bytesRead === 0) throw new UnreadableFileError('empty');
    return await typeOf({ head: head.subarray(0, bytesRead), name, path });
  } finally {
    await file.close();
  }
}

/** Sends the type and the pages of a file. @returns whether it was cut @throws UnreadableFileError */
export async function read(request: ReadRequest, send: Send): Promise<{ truncated: boolean }> {
  const type = await typeOfFile(request);
  send({ is: 'type', ...type });
  const extract = await extractorOf(type);
  if (!extract) throw unsupported(type, request.name);
  let truncated = false;
  const pages = extract(
    { ...request, ...type },
    {
      progress: throttled(send),
      truncate: () => {
        truncated = true;
      },
    },
  );
  const sent = await sendPages(pages, send);
  if (!sent.hasText && type.kind !== 'image' && type.kind !== 'pdf') throw withoutText(type);
  return { truncated: truncated || sent.truncated };
}

async function sendPages(pages: AsyncIterable<PageDraft>, send: Send) {
  let n = 0;
  let left = MAX_TEXT_LENGTH;
  let hasText = false;
  let truncated = false;
  for await (const draft of pages) {
    if (n >= MAX_PAGES || left <= 0) return { truncated: true, hasText };
    n += 1;
    const page = cut(draft, Math.min(left, MAX_PAGE_LENGTH));
    truncated ||= page !== draft;
    left -= page.text.length;
    hasText ||= page.text.trim() !== '';
    send({ is: 'page', page: { n, ...page } });
  }
  return { truncated, hasText };
}

/** The beginning of a page. */
function cut(page: PageDraft, length: number): PageDraft {
  if (page.text.length <= length) return page;
  const end = /[\uD800-\uDBFF]/.test(page.text.charAt(length - 1)) ? length - 1 : length;
  return { ...page, text: page.text.slice(0, end) };
}

/** The name claims a known format, and the bytes are in another one: the file is damaged. */
function unsupported({ type }: FileType, name: string): UnreadableFileError {
  const promised = binaryTypeOf(extensionOf(name)) !== undefined;
  const unknown = type === 'application/octet-stream';
  return new UnreadableFileError(promised && unknown ? 'damaged' : 'unsupported', type);
}

const withoutText = ({ kind }: FileType) =>
  new UnreadableFileError(kind === 'document' ? 'no_text' : 'empty');

function throttled(send: Send) {
  let sentAt = 0;
  return (done: number, total: number) => {
    if (done < total && Date.now() - sentAt < PROGRESS_EVERY_MS) return;
    sentAt = Date.now();
    send({ is: 'progress', done, total });
  };
}
