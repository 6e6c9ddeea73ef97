import type { Actor } from '../../../access/index.ts';
import type { FilePage, PageMarks } from '../../../contract/files.ts';
import { AppError, notFound } from '../../../errors.ts';
import { ObjectMissingError } from '../../../objects/index.ts';
import { firstPageOf, rowsOf, UnreadableFileError } from '../../../reading/index.ts';
import type { FilesFeature } from '../feature.ts';
import { type FileRecord, isScan } from '../library/file-record.ts';
import { type OpensFiles, openFile } from '../library/open.ts';

/** Approximate memory of a rectangle. */
const RECT_BYTES = 100;

/** A page of a file, from 1. */
export interface PageOf {
  fileId: string;
  n: number;
}

type Viewer = Pick<Actor, 'userId'>;
type Paging = OpensFiles & Pick<FilesFeature, 'texts'>;

/** @throws AppError not_found for a file that the actor may not read or a page beyond the last one, file_not_ready before the file was read */
export async function readPage(files: Paging, actor: Viewer, of: PageOf): Promise<FilePage> {
  return presentPage(await findPage(files, actor, of));
}

/**
 * The rectangles of a range of the page's text on its picture; none when it has no place.
 * @throws as readPage does
 */
export async function marksOf(
  files: Paging & Pick<FilesFeature, 'copies' | 'reader' | 'marks'>,
  actor: Viewer,
  of: PageOf,
  { start, end }: { start: number; end: number },
): Promise<PageMarks> {
  const { file, page } = await findPage(files, actor, of);
  if (file.kind !== 'pdf' || start >= end || end > page.text.length) return { rects: [] };
  const range = { n: of.n, text: page.text, start, end };
  return files.marks.get(`${file.id}/${of.n}/${start}-${end}`, () => mark(files, file, range));
}

type Found = Awaited<ReturnType<typeof findPage>>;

async function findPage(files: Paging, actor: Viewer, { fileId, n }: PageOf) {
  const file = await openFile(files, actor, fileId);
  if (file.state !== 'ready' && !isScan(file)) throw notReady(file);
  const pages = await files.texts.pagesOf(file).catch((error: unknown) => {
    throw error instanceof ObjectMissingError ? notFound('file') : error;
  });
  const page = pages[n - 1];
  if (!page) throw notFound('page');
  return { file, page, pages };
}

const mark = (
  { copies, reader }: Pick<FilesFeature, 'copies' | 'reader'>,
  file: FileRecord,
  range: { n: number; text: string; start: number; end: number },
) =>
  copies.withLocalCopy(file, async (path) => {
    const rects = await reader
      .markPage({ path, name: file.name, group: file.ownerId, ...range })
      .catch((error: unknown) => {
        // The text stays readable without marks.
        if (error instanceof UnreadableFileError) return [];
        throw error;
      });
    return { value: { rects }, bytes: RECT_BYTES * (rects.length + 1) };
  });

const presentPage = ({ file, page, pages }: Found): FilePage => ({
  n: page.n,
  ...(page.label !== undefined && { label: page.label }),
  pages: file.pages ?? 1,
  text: page.text,
  ...(page.rowsStart !== undefined && { rows: [...rowsOf(page)] }),
  ...columnsAbove({ page, pages }),
  ...(page.picture && { picture: page.picture }),
});

/** Below the first page of a table, the names of its columns. */
function columnsAbove({ page, pages }: Pick<Found, 'page' | 'pages'>): Pick<FilePage, 'columns'> {
  const first = firstPageOf(pages, page);
  if (first === page) return {};
  const [columns = []] = rowsOf(first);
  return { columns: columns.map(({ text }) => text) };
}

const notReady = ({ state, problem }: FileRecord) =>
  new AppError(
    'file_not_ready',
    state === 'failed' && problem
      ? problem.message
      : 'This file is still being read. Try again in a moment.',
  );
