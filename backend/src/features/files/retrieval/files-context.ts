import type { FilesReceipt } from '../../../contract/messages.ts';
import type { ContextImage, FilesContext, FilesInput } from '../../context.ts';
import type { FilesFeature } from '../feature.ts';
import type { FileRecord } from '../library/file-record.ts';
import { findUsable } from '../library/open.ts';
import { waitUntilRead } from '../reading/waiting.ts';
import { chooseText, type Given } from './choose-text.ts';
import { type IndexedFile, indexFile } from './file-index.ts';
import { imagesForModel } from './images.ts';
import { promptText } from './prompt-text.ts';
import { unreadRemark } from './unread-remark.ts';

/** A reply waits this long for files that are being read; unread files are then listed as unread. */
const READ_TIMEOUT_MS = 60_000;

/**
 * The prompt text of the files that a path names, once they are read. Files of other users count as deleted, unless they are shared with the
 * owner of the conversation or belonged to an earlier owner of it.
 * @throws the signal's reason
 */
export async function contextOf(files: FilesFeature, input: FilesInput): Promise<FilesContext> {
  const { ownerId, conversationId, path, signal } = input;
  const fileIds = [...new Set(path.flatMap((message) => message.fileIds))];
  const find = () => findUsable(files, ownerId, fileIds, conversationId);
  const end = files.now().getTime() + READ_TIMEOUT_MS;
  const wait = (of: { ownerId: string; fileIds: string[] }) =>
    waitUntilRead(files, { ...of, timeoutMs: end - files.now().getTime(), signal });
  await wait({ ownerId, fileIds });
  const found = await find();
  const ofOthers = found.filter((file) => file.ownerId !== ownerId);
  if (ofOthers.length === 0) return contextOfFiles(files, input, found);
  await Promise.all(ofOthers.map((file) => wait({ ownerId: file.ownerId, fileIds: [file.id] })));
  return contextOfFiles(files, input, await find());
}

/**
 * The prompt text of a conversation's files: their whole text when it fits in half of the budget, else the passages that fit the question.
 * Files that are not ready or cannot be read are listed with the reason; they never prevent a reply.
 * @param records the files that the messages of the path name and that its owner may use
 * @throws when `input.signal` is aborted
 */
export async function contextOfFiles(
  files: FilesFeature,
  input: FilesInput,
  records: readonly FileRecord[],
): Promise<FilesContext> {
  const newestFirst = orderFiles(input, records);
  if (newestFirst.length === 0) return { text: '', images: [], passages: [], receipt: [] };
  const { images, opened, receipts } = await openAll(files, input, newestFirst);
  const given = await choose(files, input, opened);
  for (const { file } of opened) {
    receipts.set(file.id, given ? receiptOf(file, given) : unread(file, UNAVAILABLE));
  }
  const passages = given?.passages ?? [];
  return {
    text: promptText({
      passages,
      reason: given?.reason ?? 'unread',
      remarks: newestFirst.flatMap((file) => remarksOn(file, receipts.get(file.id))),
      which: whichOf(newestFirst),
      replyId: input.replyId,
    }),
    images: [...images.values()],
    passages: passages.map(({ passage }) => passage),
    receipt: newestFirst.flatMap(({ id }) => receipts.get(id) ?? []),
  };
}

/** The image files, the files with text, and receipts of all others. */
async function openAll(
  files: FilesFeature,
  { signal }: FilesInput,
  records: readonly FileRecord[],
) {
  const pictures = records.filter(({ kind }) => kind === 'image');
  const images =
    pictures.length > 0
      ? await imagesForModel(files, pictures, signal)
      : new Map<string, ContextImage>();
  const opened: IndexedFile[] = [];
  const receipts = new Map<string, FilesReceipt>();
  // Sequential: the texts of many long files at once would not fit in memory.
  for (const file of records) {
    signal.throwIfAborted();
    if (images.has(file.id)) {
      receipts.set(file.id, { fileId: file.id, name: file.name, given: 'image' });
      continue;
    }
    const result = await open(files, file);
    if ('index' in result) opened.push(result);
    else receipts.set(file.id, result);
  }
  return { images, opened, receipts };
}

async function open(
  { texts, log }: Pick<FilesFeature, 'texts' | 'log'>,
  file: FileRecord,
): Promise<IndexedFile | FilesReceipt> {
  const reason = unreadReason(file);
  if (reason !== undefined) return unread(file, reason);
  try {
    const index = await texts.derived(file, 'search', indexFile);
    return index.passages.length > 0 ? { file, index } : unread(file, noText(file));
  } catch (error) {
    log.warn({ err: error, fileId: file.id }, 'text of file unavailable');
    return unread(file, UNAVAILABLE);
  }
}

async function choose(
  files: FilesFeature,
  input: FilesInput,
  opened: IndexedFile[],
): Promise<Given | undefined> {
  if (opened.length === 0) return undefined;
  try {
    return await chooseText(files, { input, opened });
  } catch (error) {
    input.signal.throwIfAborted();
    // A file was deleted, or the object store stopped answering, since its index was computed.
    const { conversationId } = input;
    files.log.warn({ err: error, conversationId }, 'text of files unavailable');
    return undefined;
  }
}

/** The files that the path names, those of the last messages first. */
function orderFiles({ path }: FilesInput, files: readonly FileRecord[]): FileRecord[] {
  const ids = new Set(path.toReversed().flatMap(({ fileIds }) => fileIds));
  const byId = new Map(files.map((file) => [file.id, file]));
  return [...ids].flatMap((id) => byId.get(id) ?? []);
}

function unreadReason({ state, problem, kind }: FileRecord): string | undefined {
  if (kind === 'image' && problem?.code === 'no_text') return NOT_SHOWN;
  if (state === 'failed') return problem?.message ?? 'Its text cannot be read.';
  if (state !== 'ready') return 'It is still being read. Ask again in a moment.';
  return undefined;
}

const UNAVAILABLE = 'Its text is unavailable at the moment. Try again later.';
const NOT_SHOWN = 'The model is not shown this image, and it contains no text that can be read.';

const BEING_RECOGNISED = 'Its text is still being recognised. Ask again in a moment.';

function noText({ kind, recognition }: FileRecord): string {
  if (recognition) return BEING_RECOGNISED;
  return kind === 'image' ? NOT_SHOWN : 'It contains no text.';
}

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

/** Tells files with the same name apart, such as a file and its next version: by their order and the days of their uploads. */
function whichOf(files: readonly FileRecord[]): Map<string, string> {
  const byName = new Map<string, FileRecord[]>();
  const oldestFirst = files.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  for (const file of oldestFirst) byName.set(file.name, [...(byName.get(file.name) ?? []), file]);
  const which = new Map<string, string>();
  for (const same of byName.values())
    for (const [at, { id, createdAt }] of same.entries())
      if (same.length > 1) {
        const day = createdAt.toISOString().slice(0, 10);
        which.set(id, `file ${at + 1} of ${same.length} with this name, uploaded ${day}`);
      }
  return which;
}

function remarksOn(file: FileRecord, receipt: FilesReceipt | undefined) {
  const { id: fileId, name: fileName, truncated } = file;
  if (receipt?.given === 'unread') {
    return [{ fileId, fileName, text: `This file could not be given to you. ${receipt.reason}` }];
  }
  if (receipt?.given === 'image') return [];
  const cut = truncated ? 'Only the beginning of this very long file was read.' : undefined;
  return [cut, unreadRemark(file)].flatMap((text) => (text ? [{ fileId, fileName, text }] : []));
}
