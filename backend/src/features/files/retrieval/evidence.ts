import type { ReadPage } from '../../../reading/index.ts';
import { type RankedPassage, rank } from '../../../text/ranking/rank.ts';
import { queryTermsOf, wordsOf } from '../../../text/ranking/terms.ts';
import type { FilesFeature } from '../feature.ts';
import type { FileRecord } from '../library/file-record.ts';
import { findUsable } from '../library/open.ts';
import { type FileIndex, indexFile } from './file-index.ts';

/** A passage to compare a statement with. */
export interface EvidenceText {
  /** The file, or the id of one of `notes`. */
  origin: { kind: 'file'; fileId: string; fileName: string } | { kind: 'note'; id: string };
  /** From 1; always 1 in a note. */
  page: number;
  /** The number that is printed on the page; left out when it is `page`. */
  pageLabel?: string;
  /** UTF-16 code units in the page's text. */
  start: number;
  end: number;
  text: string;
}

interface EvidenceQuery {
  ownerId: string;
  conversationId?: string;
  /** Files of other users, deleted ones and those without text are left out. */
  fileIds: readonly string[];
  /** Texts that are searched in addition to the files. */
  notes: readonly { id: string; text: string }[];
  /** The statements to search for, each separately. */
  statements: readonly string[];
  /** Maximum number of passages per statement: of files, and of notes. */
  count: { files: number; notes: number };
  signal: AbortSignal;
}

interface Searched {
  index: FileIndex;
  pages: readonly ReadPage[];
  origin: EvidenceText['origin'];
}

/**
 * The passages of files and notes with most of a statement's words (BM25, as for replies): for each statement, best first. When nothing has
 * its words, the first passages represent all, because the statement may be in another language.
 * @throws the signal's reason
 */
export async function evidenceFor(
  files: Pick<FilesFeature, 'records' | 'others' | 'texts' | 'log'>,
  { ownerId, conversationId, fileIds, notes, statements, count, signal }: EvidenceQuery,
): Promise<EvidenceText[][]> {
  const found = await findUsable(files, ownerId, fileIds, conversationId);
  const searched: Searched[] = [];
  for (const file of found.filter(({ state }) => state === 'ready')) {
    signal.throwIfAborted();
    searched.push(...(await open(files, file)));
  }
  const others: Searched[] = [];
  for (const { id, text } of notes) {
    const pages = [{ n: 1, text }];
    others.push({ index: await indexFile(pages), pages, origin: { kind: 'note', id } });
  }
  signal.throwIfAborted();
  const evidence: EvidenceText[][] = [];
  for (const statement of statements)
    evidence.push([
      ...(await best(searched, statement, count.files)),
      ...(await best(others, statement, count.notes)),
    ]);
  return evidence;
}

/** None when the text of the file is unavailable. */
async function open(
  { texts, log }: Pick<FilesFeature, 'texts' | 'log'>,
  file: FileRecord,
): Promise<Searched[]> {
  try {
    const index = await texts.derived(file, 'search', indexFile);
    const pages = await texts.pagesOf(file);
    return [{ index, pages, origin: { kind: 'file', fileId: file.id, fileName: file.name } }];
  } catch (error) {
    log.warn({ err: error, fileId: file.id }, 'text of file unavailable');
    return [];
  }
}

async function best(
  searched: readonly Searched[],
  statement: string,
  count: number,
): Promise<EvidenceText[]> {
  const indexes = searched.map(({ index }) => index);
  const terms = queryTermsOf(wordsOf(statement));
  const { passages: ranked } = await rank(indexes, { terms, pages: [] });
  return (ranked.length > 0 ? ranked : everyPassage(indexes, count))
    .slice(0, count)
    .flatMap((place) => textAt(searched, place));
}

const everyPassage = (indexes: readonly FileIndex[], count: number): RankedPassage[] =>
  indexes.flatMap(({ passages }, file) =>
    Array.from({ length: Math.min(count, passages.length) }, (_, passage) => ({
      file,
      passage,
      score: 0,
    })),
  );

function textAt(searched: readonly Searched[], { file, passage }: RankedPassage): EvidenceText[] {
  const { index, pages, origin } = searched[file] ?? {};
  const place = index?.passages[passage];
  if (!place || !pages || !origin) return [];
  const { page, label: pageLabel, start, end } = place;
  const text = pages.find(({ n }) => n === page)?.text.slice(start, end) ?? '';
  return [{ origin, page, ...(pageLabel !== undefined && { pageLabel }), start, end, text }];
}
