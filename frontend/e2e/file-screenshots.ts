// Screenshots of files: the library, the viewer, the uploader. States that pass quickly are answers of the server that are made here.
import type { AttachedFile, FileList, FilePage, UserFile } from '@stolas/backend/contract';
import type { Page, Route } from 'playwright-core';
import { pdfOf, scanOf } from './pdf.ts';
import { type Options, pretend, type Shot } from './picture-steps.ts';

const FACT = 'The observatory on Mount Seregno was closed in 1931 because of flooding.';
const filler = (n: number) =>
  `Chapter ${n}. The survey of the province continued in that year without remarkable events. `.repeat(
    12,
  );
const TABLE = [
  'Station,Opened,Height,Nights,Observer',
  ...Array.from(
    { length: 40 },
    (_, n) => `Station ${n + 1},${1880 + n},${900 + n * 13},${n * 7},Ada`,
  ),
].join('\n');
const MARKDOWN = `# Field notes\n\nOwls hunt **at night**.\n\n| Owl | Wing span |\n|---|---|\n| Eagle owl | 1.7 m |\n| Barn owl | 0.9 m |\n`;

/** Uploads bytes into the library and waits until they are read. */
async function upload(page: Page, name: string, bytes: Buffer): Promise<UserFile> {
  const base64 = bytes.toString('base64');
  return page.evaluate(
    async (given) => {
      const headers = { authorization: `Bearer ${localStorage.getItem('authToken') ?? ''}` };
      const form = new FormData();
      const data = Uint8Array.from(atob(given.base64), (letter) => letter.charCodeAt(0));
      form.append('file', new File([data], given.name));
      const posted = await fetch('/api/files?purpose=library', {
        method: 'POST',
        headers,
        body: form,
      });
      if (!posted.ok) throw new Error(await posted.text());
      let { file } = (await posted.json()) as AttachedFile;
      while (file.state !== 'ready' && file.state !== 'failed') {
        await new Promise((resolve) => setTimeout(resolve, 200));
        const answer = await fetch(`/api/files?ids=${file.id}`, { headers });
        file = ((await answer.json()) as FileList).files[0] ?? file;
      }
      return file;
    },
    { name, base64 },
  );
}

/** Where a text stands on a page, as the address of the viewer has it. */
async function markOf(page: Page, { id }: UserFile, n: number, text: string): Promise<string> {
  const of = await page.evaluate(async (path) => {
    const headers = { authorization: `Bearer ${localStorage.getItem('authToken') ?? ''}` };
    return (await (await fetch(path, { headers })).json()) as FilePage;
  }, `/api/files/${id}/pages/${n}`);
  const start = of.text.indexOf(text);
  return `${start}-${start + text.length}`;
}

/** A picture as a camera would have made it. */
async function photo(page: Page): Promise<Buffer> {
  const url = await page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 1_200, height: 800 });
    const context = canvas.getContext('2d');
    if (!context) throw new Error('no canvas');
    const sky = context.createLinearGradient(0, 0, 0, 800);
    for (const [at, colour] of [
      [0, '#101840'],
      [0.7, '#c07040'],
      [1, '#181008'],
    ] as const)
      sky.addColorStop(at, colour);
    context.fillStyle = sky;
    context.fillRect(0, 0, 1_200, 800);
    context.fillStyle = '#f4e8c0';
    context.beginPath();
    context.arc(850, 220, 70, 0, 7);
    context.fill();
    return canvas.toDataURL('image/png');
  });
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

/** @param page of a guest */
export async function files(page: Page, { url, shot }: Options) {
  await page.goto(`${url}/files`);
  await page.getByText('No files yet').waitFor();
  await shot(page, 'files-empty');
  const pages = Array.from({ length: 60 }, (_, i) =>
    i === 36 ? `${filler(37)}${FACT} ${filler(37)}` : filler(i + 1),
  );
  const book = await upload(page, 'survey.pdf', pdfOf(pages));
  const scan = await upload(page, 'scan of the deed.pdf', scanOf(3));
  const table = await upload(page, 'stations.csv', Buffer.from(TABLE));
  const notes = await upload(page, 'field notes.md', Buffer.from(MARKDOWN));
  const image = await upload(page, 'evening sky.png', await photo(page));
  const broken = await upload(page, 'broken.pdf', Buffer.from('%PDF-1.7\n1 0 obj\n<<'));
  await viewer(page, { url, shot, book, scan, table, notes, image, broken });
  await library(page, { url, shot, known: [book, scan, table, notes, image, broken] });
  await uploader(page, { url, shot, known: [book, scan, image] });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
}

interface ViewerOptions {
  url: string;
  shot: Shot;
  book: UserFile;
  scan: UserFile;
  table: UserFile;
  notes: UserFile;
  image: UserFile;
  broken: UserFile;
}

async function viewer(page: Page, { url, shot, ...all }: ViewerOptions) {
  const open = async (file: UserFile, query = '') => {
    await page.goto(`${url}/files?file=${file.id}${query}`);
  };
  const drawn = () =>
    page.waitForFunction(() => {
      const images = [...document.querySelectorAll('[role=group] img')] as HTMLImageElement[];
      return (
        images.length > 0 && images.every(({ complete, naturalWidth }) => complete && naturalWidth)
      );
    });
  await open(all.book, `&page=37&mark=${await markOf(page, all.book, 37, FACT)}`);
  await page.locator('[data-mark]').first().waitFor();
  await drawn();
  await shot(page, 'viewer-pdf');
  await open(all.scan);
  await page.getByRole('note').waitFor();
  await drawn();
  await shot(page, 'viewer-scan');
  await open(all.table, `&page=1&mark=${await markOf(page, all.table, 1, 'Station 7')}`);
  await page.locator('[data-marked]').waitFor();
  await shot(page, 'viewer-table');
  await open(all.notes);
  await page.getByRole('heading', { name: 'Field notes', exact: true }).waitFor();
  await shot(page, 'viewer-markdown');
  await open(
    all.notes,
    `&page=1&mark=${await markOf(page, all.notes, 1, 'Owls hunt **at night**.')}`,
  );
  await page.locator('mark').waitFor();
  await shot(page, 'viewer-text');
  await open(all.image);
  await page.getByRole('img', { name: 'evening sky.png' }).waitFor();
  await page.waitForFunction(
    () => document.querySelector<HTMLImageElement>('[aria-label=Image] img')?.naturalWidth,
  );
  await shot(page, 'viewer-image');
  await open(all.broken);
  await page.getByText('The text of this file could not be read').waitFor();
  await shot(page, 'viewer-failed');
  await page.goto(`${url}/files?file=${'0'.repeat(24)}`);
  await page.getByText('This file was deleted').waitFor();
  await shot(page, 'viewer-deleted');
}

interface StatesOptions {
  url: string;
  shot: Shot;
  known: readonly UserFile[];
}

const idOf = (n: number) => String(n).padStart(24, '0');

/** `file` in another state, under another id. */
const inState = (file: UserFile, n: number, fields: Partial<UserFile>): UserFile => {
  const { problem: _problem, pages: _pages, thumbnailUrl: _url, ...rest } = file;
  return { ...rest, id: idOf(n), ...fields };
};

async function library(page: Page, { url, shot, known }: StatesOptions) {
  const [book] = known;
  if (!book) return;
  const progress = { done: 41, total: 120 };
  const states = [
    inState(book, 1, { name: 'annual report.pdf', state: 'reading', progress }),
    inState(book, 2, { name: 'minutes.docx', kind: 'document', state: 'waiting' }),
    ...known,
    inState(book, 3, { name: `${'a very long name of a file '.repeat(8)}.pdf`, state: 'ready' }),
  ];
  await page.route('**/api/files', async (route) => {
    const answer = await route.fetch();
    const list = (await answer.json()) as FileList;
    await route.fulfill({ response: answer, json: { ...list, files: states } });
  });
  await page.goto(`${url}/files`);
  await page.getByText('annual report.pdf').waitFor();
  await shot(page, 'files');
  await page.getByRole('button', { name: 'Actions for survey.pdf' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('dialog').waitFor();
  await shot(page, 'files-delete');
  await page.keyboard.press('Escape');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('searchbox', { name: 'Search files' }).fill('no such name');
  await page.getByText('No file has this in its name').waitFor();
  await shot(page, 'files-none-found');
}

async function uploader(page: Page, { url, shot, known }: StatesOptions) {
  await pretend(page, { subscriptionStatus: 'active', subscriptionPlan: 'pro' });
  await page.goto(`${url}/?c=new`);
  await page.getByPlaceholder('Message STOLAS...').waitFor();
  const text = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });
  const input = () => page.locator('.uppy-Dashboard-input').first();
  await page.getByRole('button', { name: 'Attach files' }).click();
  await input().waitFor({ state: 'attached' });
  await shot(page, 'uploader-empty');
  await input().setInputFiles(Array.from({ length: 11 }, (_, n) => text(`${n}.txt`)));
  await page.getByText('You can only upload 10 files').first().waitFor();
  await shot(page, 'uploader-restriction');
  await input().setInputFiles([text('owls.txt'), text('ravens.md'), text('herons.txt')]);
  await page.getByText('herons.txt').first().waitFor();
  await shot(page, 'uploader');
  await page.locator('.uppy-DashboardContent-back').click();
  await page.keyboard.press('Escape');
  await page.locator('.uppy-Dashboard-inner').waitFor({ state: 'hidden' });
  await chips(page, { shot, known });
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['x'], 'owls.txt'));
    document.body.dispatchEvent(new DragEvent('dragenter', { dataTransfer: data, bubbles: true }));
  });
  await page.locator('[data-drop-overlay]').waitFor();
  await shot(page, 'drop-overlay');
}

/** A message with a file in each state: being uploaded, failed, being read, read, a scan. */
async function chips(page: Page, { shot, known }: { shot: Shot; known: readonly UserFile[] }) {
  const byName = new Map<string, UserFile>();
  const [book, scan, image] = known;
  if (!book || !scan || !image) return;
  const progress = { done: 41, total: 120 };
  byName.set('reading.pdf', inState(book, 11, { name: 'reading.pdf', state: 'reading', progress }));
  byName.set('waiting.docx', inState(book, 12, { name: 'waiting.docx', state: 'waiting' }));
  byName.set('survey.pdf', { ...book, name: 'survey.pdf' });
  byName.set('scan.pdf', { ...scan, name: 'scan.pdf' });
  byName.set('sky.png', { ...image, name: 'sky.png' });
  const problem = {
    code: 'damaged',
    message: 'This file is damaged or incomplete. Open and save it again, then upload it.',
  } as const;
  byName.set('broken.pdf', inState(book, 13, { name: 'broken.pdf', state: 'failed', problem }));
  await page.route('**/api/objects/attach', async (route) => {
    const { fileName } = route.request().postDataJSON() as { fileName: string };
    const file = byName.get(fileName);
    await route.fulfill({ json: file && { ...file, file } });
  });
  await page.route('**/api/files?ids=*', (route: Route) => {
    const id = new URL(route.request().url()).searchParams.get('ids');
    const files = [...byName.values()].filter((file) => file.id === id);
    return route.fulfill({ json: { files, next: null, storage: { used: 0, limit: 1 } } });
  });
  await page.route(/\/uploads\//, async (route) => {
    const body = route.request().postData() ?? '';
    // Never answered: it is being uploaded.
    if (body.includes('uploading')) return undefined;
    if (body.includes('refused')) return route.fulfill({ status: 403, body: 'no' });
    return route.fulfill({ status: 200, headers: { ETag: '"e"' }, body: '' });
  });
  const names = [...byName.keys(), 'uploading.pdf', 'refused.pdf'];
  await page.evaluate((given) => {
    const data = new DataTransfer();
    for (const name of given) data.items.add(new File([name], name));
    for (const type of ['dragenter', 'drop'])
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true }));
  }, names);
  await page.getByText('Upload failed').first().waitFor();
  await page.getByText('Reading 41 of 120').waitFor();
  await page.waitForTimeout(600);
  await shot(page, 'chips');
}
