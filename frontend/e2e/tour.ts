// Pictures of screens that no journey reaches; `npm run screenshots` runs it with the journeys. The states are answers made here.
import type { FileList, User, UserFile } from '@stolas/backend/contract';
import type { Page } from 'playwright-core';
import { it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { pdfOf } from './pdf.ts';
import { WIDE } from './product.ts';
import { shot } from './shot.ts';
import { ask, checkScreen, lastReply } from './steps.ts';
import { attach, pdfFile } from './upload-steps.ts';

const { url, guest } = await sharedProduct();

const arrive = async () => (await guest({ ...WIDE, reducedMotion: 'reduce' })).page;

/** Makes the page see the signed-in user with these fields. */
async function pretend(page: Page, fields: Partial<User>): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.route('**/api/auth/user', async (route) => {
    const response = await route.fetch();
    const user = (await response.json()) as User;
    await route.fulfill({ response, json: { ...user, ...fields } });
  });
}

const LIMIT = 200_000;
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const usage = (used: number) => ({
  used,
  reserved: 0,
  limit: LIMIT,
  tokensPerMessage: 1_700,
  resetsAt: inHours(200),
});
const cap = { used: 5_000, limit: 5_000, resetsAt: inHours(4) };
const starter = { subscriptionStatus: 'active', subscriptionPlan: 'starter' } as const;

it.each<[string, Partial<User>]>([
  ['demo', { demo: { messagesLeft: 0, messageLimit: 20, tokensLeft: 120, tokenLimit: 20_000 } }],
  ['meter', { ...starter, usage: usage(174_000) }],
  ['plan', { ...starter, usage: usage(LIMIT) }],
  ['cap', { ...starter, usage: { ...usage(90_000), cap } }],
])('a quota that is nearly or wholly used: %s', async (name, fields) => {
  const page = await arrive();
  await ask(page, 'What do owls eat?');
  await pretend(page, fields);
  await page.reload();
  await lastReply(page).waitFor();
  await checkScreen(page, `quota-${name}`);
});

it('files in each state, and files that are dropped', async () => {
  const page = await arrive();
  const buffer = await pdfOf(['The observatory on Mount Seregno was closed in 1931.']);
  await attach(page, pdfFile('survey.pdf', buffer));
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['x'], 'owls.txt'));
    document.body.dispatchEvent(new DragEvent('dragenter', { dataTransfer: data, bubbles: true }));
  });
  await page.locator('[data-drop-overlay]').waitFor();
  await shot(page, 'drop-overlay');
  const damaged = {
    code: 'damaged',
    message: 'This file is damaged or incomplete. Open and save it again, then upload it.',
  } as const;
  await page.route('**/api/files', async (route) => {
    const response = await route.fetch();
    const list = (await response.json()) as FileList;
    const [{ pages: _pages, thumbnailUrl: _url, ...file }] = list.files as [UserFile];
    const states: Partial<UserFile>[] = [
      { name: 'annual report.pdf', state: 'reading', progress: { done: 41, total: 120 } },
      { name: 'minutes.docx', kind: 'document', state: 'waiting' },
      { name: 'broken.pdf', state: 'failed', problem: damaged },
      { name: `${'a very long name of a file '.repeat(8)}.pdf` },
    ];
    const made = states.map((state, n) => ({ ...file, id: String(n).padStart(24, '0'), ...state }));
    await route.fulfill({ response, json: { ...list, files: [...list.files, ...made] } });
  });
  await page.goto(`${url}/files`);
  await page.getByText('annual report.pdf').waitFor();
  await checkScreen(page, 'files-states');
});
