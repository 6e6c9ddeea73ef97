import { type ReadPage, UnreadableFileError, unreadOf } from '../../../reading/index.ts';
import type { FilesFeature } from '../feature.ts';
import type { FileRecord } from '../library/file-record.ts';
import { ReaderFaultError } from './extract.ts';
import { isReadingWaiting } from './lanes.ts';
import { isRecognisable, textBytesOf } from './recognisable.ts';
import type { NewText } from './recognition-model.ts';

/** After this time, or as soon as a file waits to be read, the recognised text is stored and other files get their turn. */
const TURN_MS = 20_000;

type Recognising = Pick<FilesFeature, 'copies' | 'reader' | 'texts' | 'readingLanes' | 'now'>;

interface TurnOptions {
  /** Called with the number of recognised pages of the file. */
  onPage: (done: number) => void;
  signal: AbortSignal;
}

/**
 * Recognises the next pages of a file and stores its text with theirs, under a key of its own.
 * @returns the new text, if any, and whether it is the last one
 * @throws the errors of the reader, the store or `signal`
 */
export async function recogniseTurn(
  files: Recognising,
  file: FileRecord,
  options: TurnOptions,
): Promise<{ text?: NewText; isLast: boolean }> {
  const { recognised: before = 0, recognition } = file;
  const pages = [...(await files.texts.pagesOf(file))];
  const due = pages.filter(isRecognisable).slice(0, (recognition?.total ?? 0) - before);
  const found = await recognisePages(files, { ...file, recognised: before }, due, options);
  const isLast = found.length === due.length;
  if (found.length === 0) return { isLast };
  for (const page of found) pages[page.n - 1] = page;
  const recognised = before + found.length;
  options.signal.throwIfAborted();
  await files.texts.save({ ...file, recognised }, pages);
  const unread = unreadOf(pages);
  const text = { recognised, textBytes: textBytesOf(pages) };
  return { text: { ...text, ...(unread.length > 0 && { unread }) }, isLast };
}

const recognisePages = (
  files: Recognising,
  file: FileRecord & { recognised: number },
  due: readonly ReadPage[],
  { onPage, signal }: TurnOptions,
): Promise<ReadPage[]> =>
  files.copies.withLocalCopy(file, async (path) => {
    const until = files.now().getTime() + TURN_MS;
    const found: ReadPage[] = [];
    for (const page of due) {
      if (files.now().getTime() > until || (await isReadingWaiting(files.readingLanes))) break;
      signal.throwIfAborted();
      const withText = page.text.trim() === '';
      const options = { path, name: file.name, n: page.n, withText, signal };
      found.push(withRecognised(page, await textOf(files, options)));
      onPage(file.recognised + found.length);
    }
    return found;
  });

/** @throws ReaderFaultError */
const textOf = (
  { reader }: Pick<FilesFeature, 'reader'>,
  options: Parameters<FilesFeature['reader']['recognisePage']>[0],
): Promise<string> =>
  reader.recognisePage(options).catch((error: unknown) => {
    options.signal?.throwIfAborted();
    // The page takes too much time or memory; the others can be recognised.
    if (error instanceof UnreadableFileError) return '';
    throw new ReaderFaultError('The reader has failed.', { cause: error });
  });

/** The page with recognised text behind its own, so that ranges of its earlier text stay valid. */
function withRecognised(page: ReadPage, found: string): ReadPage {
  if (found === '') return { ...page, unread: 'no_text' };
  const read = { ...page };
  delete read.unread;
  return { ...read, text: page.text.trim() === '' ? found : `${page.text}\n${found}` };
}
