import type { Citation, FilePage, UserFile } from '@stolas/backend/contract';
import { fakeServer } from '../../lib/server.fixture.ts';
import { testSubscriber } from '../../lib/user.fixture.ts';
import { openPage } from '../../ui/page.fixture.tsx';
import { FilesPage } from './library/files-page.tsx';

export const idOf = (n: number): string => String(n).padStart(24, '0');

/** A file that was read: a PDF of 60 pages, used in no conversation; `fields` override. */
export const testFile = (n: number, fields: Partial<UserFile> = {}): UserFile => ({
  id: idOf(n),
  name: `file-${n}.pdf`,
  type: 'application/pdf',
  size: 2_411_725,
  sha256: 'a'.repeat(64),
  kind: 'pdf',
  state: 'ready',
  pages: 60,
  url: `/api/files/${idOf(n)}`,
  createdAt: new Date(Date.UTC(2026, 0, 28 - n)).toISOString(),
  conversationIds: [],
  ...fields,
});

export const testPage = (n: number, text: string, fields: Partial<FilePage> = {}): FilePage => ({
  n,
  pages: 60,
  text,
  ...fields,
});

export const testCitation = (n: number, fields: Partial<Citation> = {}): Citation => ({
  n,
  fileId: idOf(1),
  fileName: 'contract.pdf',
  sha256: 'a'.repeat(64),
  page: 37,
  start: 4,
  end: 20,
  quote: `The quotation ${n}`,
  ...fields,
});

/** The server of a library: lists, single files, and every further answer. */
export function serveFiles(files: readonly UserFile[], answers: Record<string, unknown> = {}) {
  const storage = { used: 1_288_490_189, limit: 21_474_836_480 };
  const server = fakeServer({
    'GET /api/auth/user': { body: testSubscriber() },
    'GET /api/files': { body: { files, next: null, storage } },
  });
  for (const file of files) {
    server.answers[`GET /api/files?ids=${file.id}`] = {
      body: { files: [file], next: null, storage },
    };
  }
  for (const [call, body] of Object.entries(answers)) server.answers[call] = { body };
  return { ...server, storage };
}

/** Shows the library at an address. */
export const openLibrary = (address = '/files') =>
  openPage(<FilesPage user={testSubscriber()} />, address);
