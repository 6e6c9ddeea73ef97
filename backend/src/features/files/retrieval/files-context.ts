import type { FilesReceipt } from '../../../contract/messages.ts';
import type { Log } from '../../../log.ts';
import type { ContextImage, FilesContext, FilesInput } from '../../context.ts';
import type { FileRecord } from '../library/file-record.ts';
import type { FileTexts } from '../reading/text-store.ts';
import type { SimilaritiesOf } from '../vectors/index.ts';
import { chooseText, type Given, type IndexedFile } from './choose-text.ts';
import { indexFile } from './file-index.ts';
import { promptText } from './prompt-text.ts';

export interface FilesContextDeps {
  texts: Pick<FileTexts, 'pagesOf' | 'derived'>;
  /** Those of `files` (images) that the model is shown, by file id; none of them when it cannot see. */
  imagesOf: (files: FileRecord[], signal: AbortSignal) => Promise<Map<string, ContextImage>>;
  log: Pick<Log, 'warn'>;
  /** Search by meaning, where there is an embedding model. */
  similaritiesOf?: SimilaritiesOf | undefined;
}

/** 12,800 characters, about 3,200 tokens of English. */
const PASSAGE_COUNT = 8;

/**
 * What the files of a conversation add to the prompt of a reply: their whole text when it fits in half of the budget, else
 * the passages that fit the question. Files that are not ready, or cannot be read, are named with the reason; they never
 * prevent a reply.
 */
export function createFilesContext({ texts, imagesOf, log, similaritiesOf }: FilesContextDeps) {
  const open = async (file: FileRecord): Promise<IndexedFile | FilesReceipt> => {
    const reason = unreadReason(file);
    if (reason !== undefined) return unread(file, reason);
    try {
      const index = await texts.derived(file, 'search', indexFile);
      return index.passages.length > 0 ? { file, index } : unread(file, noText(file));
    } catch (error) {
      log.warn({ error, fileId: file.id }, 'the text of a file is unavailable');
      return unread(file, UNAVAILABLE);
    }
  };

  const choose = async (input: FilesInput, opened: IndexedFile[]) => {
    if (opened.length === 0) return undefined;
    try {
      const { pagesOf } = texts;
      const { passageCount: count = PASSAGE_COUNT } = input;
      return await chooseText({ input, opened, count, pagesOf, similaritiesOf });
    } catch (error) {
      input.signal.throwIfAborted();
      // A file was deleted, or the object store stopped answering, since its index was computed.
      log.warn({ error, conversationId: input.conversationId }, 'the text of files is unavailable');
      return undefined;
    }
  };

  /**
   * @param files those that the messages of the path name; the ones of other users are ignored
   * @throws when `input.signal` is aborted
   */
  return async (input: FilesInput, files: readonly FileRecord[]): Promise<FilesContext> => {
    const newestFirst = orderFiles(input, files);
    if (newestFirst.length === 0) return { text: '', images: [], passages: [], receipt: [] };
    const pictures = newestFirst.filter(({ kind }) => kind === 'image');
    const images =
      pictures.length > 0
        ? await imagesOf(pictures, input.signal)
        : new Map<string, ContextImage>();
    const opened: IndexedFile[] = [];
    const receipts = new Map<string, FilesReceipt>();
    // One after the other: the texts of many long files at once would not fit in memory.
    for (const file of newestFirst) {
      input.signal.throwIfAborted();
      if (images.has(file.id)) {
        receipts.set(file.id, { fileId: file.id, name: file.name, given: 'image' });
        continue;
      }
      const result = await open(file);
      if ('index' in result) opened.push(result);
      else receipts.set(file.id, result);
    }
    const given = await choose(input, opened);
    for (const { file } of opened) {
      receipts.set(file.id, given ? receiptOf(file, given) : unread(file, UNAVAILABLE));
    }
    const passages = given?.passages ?? [];
    return {
      text: promptText({
        passages,
        reason: given?.reason ?? 'unread',
        remarks: newestFirst.flatMap((file) => remarksOn(file, receipts.get(file.id))),
        replyId: input.replyId,
      }),
      images: [...images.values()],
      passages: passages.map(({ passage }) => passage),
      receipt: newestFirst.flatMap(({ id }) => receipts.get(id) ?? []),
    };
  };
}

/** The files that the path names: those of the last messages first. */
function orderFiles({ path, ownerId }: FilesInput, files: readonly FileRecord[]): FileRecord[] {
  const ids = new Set(path.toReversed().flatMap(({ fileIds }) => fileIds));
  const own = new Map(
    files.filter((file) => file.ownerId === ownerId).map((file) => [file.id, file]),
  );
  return [...ids].flatMap((id) => own.get(id) ?? []);
}

function unreadReason({ state, problem, kind }: FileRecord): string | undefined {
  if (kind === 'image' && problem?.code === 'no_text') return NOT_SHOWN;
  if (state === 'failed') return problem?.message ?? 'Its text cannot be read.';
  if (state !== 'ready') return 'It is still being read. Ask again in a moment.';
  return undefined;
}

const UNAVAILABLE = 'Its text is unavailable at the moment. Try again later.';
const NOT_SHOWN = 'The model is not shown this image, and it contains no text that can be read.';

const noText = ({ kind }: FileRecord) => (kind === 'image' ? NOT_SHOWN : 'It contains no text.');

const unread = ({ id, name }: FileRecord, reason: string): FilesReceipt => ({
  fileId: id,
  name,
  given: 'unread',
  reason,
});

function receiptOf({ id, name }: FileRecord, { reason, passages }: Given): FilesReceipt {
  const isThere = passages.some(
    ({ passage, sameAs }) => passage.fileId === id || sameAs.some((same) => same.fileId === id),
  );
  const given = reason === 'whole' ? 'whole' : isThere ? 'passages' : 'none';
  return { fileId: id, name, given };
}

function remarksOn(file: FileRecord, receipt: FilesReceipt | undefined) {
  const { name: fileName, truncated } = file;
  if (receipt?.given === 'unread') {
    return [{ fileName, text: `This file could not be given to you. ${receipt.reason}` }];
  }
  if (!truncated || receipt?.given === 'image') return [];
  return [{ fileName, text: 'Only the beginning of this very long file was read.' }];
}
