// Screenshots of what stands around a reply, of memory and personas, and of the states that a user should rarely see.
import type { Page } from 'playwright-core';
import { pdfOf } from './pdf.ts';
import { ask, begin, lastReply, type Options, openSidebar } from './picture-steps.ts';
import { attach } from './upload-steps.ts';

const PAGES = [
  'This is the handbook of an observatory. It lists the rules of the house.',
  'The observatory on Mount Seregno was closed in 1931 because of flooding.',
];

const ARABIC = [
  'ما هي أفضل طريقة لمراقبة البوم ليلاً؟ استخدم `const owl = 1;` في الإجابة.',
  '',
  '| الطائر | الطول |',
  '|---|---|',
  '| بومة نسارية | 1.7 m |',
].join('\n');

/** @param page of a guest */
export async function features(page: Page, options: Options) {
  await replies(page, options);
  await menus(page, options);
  await memories(page, options);
  await personas(page, options);
  await rareStates(page, options);
}

async function replies(page: Page, options: Options) {
  const { shot } = options;
  await begin(page, options);
  await page.getByRole('combobox', { name: 'Depth' }).selectOption('deep');
  await attach(page, {
    name: 'handbook.pdf',
    mimeType: 'application/pdf',
    buffer: pdfOf(PAGES),
  });
  await shot(page, 'composer-file');
  await ask(page, '/claims');
  const reply = lastReply(page);
  const check = reply.getByRole('button', { name: 'Check against sources' });
  if (await check.count()) await check.click();
  const chip = reply.getByRole('button', { name: /^Claims of this reply/ });
  await chip.waitFor();
  await shot(page, 'claims-marks');
  await chip.click();
  await page.getByRole('dialog').waitFor();
  await shot(page, 'claims-panel');
  await page.keyboard.press('Escape');
  await reply.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('dialog', { name: 'Details of this reply' }).getByText('Applied').waitFor();
  await shot(page, 'receipt');
  await page.keyboard.press('Escape');
  await ask(page, 'Why was the observatory on Mount Seregno closed?');
  await shot(page, 'citation');
  await lastReply(page).locator('[data-source]').first().click();
  await page.locator('[data-mark]').first().waitFor();
  await shot(page, 'citation-viewer');
  await begin(page, options);
  await ask(page, ARABIC);
  await shot(page, 'arabic');
  await begin(page, options);
  await ask(page, '/code');
  await shot(page, 'code');
  await page.getByRole('button', { name: 'Bad answer' }).last().click();
  await shot(page, 'feedback');
  await page.keyboard.press('Escape');
}

async function menus(page: Page, options: Options) {
  const { shot } = options;
  await begin(page, options);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Search/ }).waitFor();
  await shot(page, 'command-menu');
  await page.keyboard.type('observatory');
  await page.getByRole('option').first().waitFor();
  await shot(page, 'command-menu-results');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+/');
  await page.getByRole('dialog').waitFor();
  await shot(page, 'shortcuts');
  await page.keyboard.press('Escape');
  await openSidebar(page);
  await shot(page, 'sidebar');
  await page.getByPlaceholder('Search conversations...').fill('nothing has this');
  await page.getByText('No title contains').waitFor();
  await shot(page, 'sidebar-none-found');
  await page.getByPlaceholder('Search conversations...').fill('');
}

async function memories(page: Page, options: Options) {
  const { url, shot } = options;
  await page.goto(`${url}/memory`);
  await page.getByText('Nothing is remembered yet').waitFor();
  await shot(page, 'memory-empty');
  await begin(page, options);
  await ask(page, 'I live in Trondheim.');
  const chip = () => lastReply(page).locator('[data-memory-chip]');
  await chip().waitFor();
  await begin(page, options);
  await ask(page, 'Where should I, who live somewhere, go on Sunday?');
  await chip().waitFor();
  await chip().click();
  await page.getByRole('dialog').waitFor();
  await shot(page, 'memory-chip');
  await page.keyboard.press('Escape');
  await begin(page, options);
  await page.getByRole('combobox', { name: 'Memory' }).selectOption('temporary');
  await ask(page, 'I like herons.');
  await shot(page, 'temporary');
  await page.goto(`${url}/memory`);
  await page.getByText('I live in Trondheim').first().waitFor();
  await shot(page, 'memory');
}

async function personas(page: Page, { url, shot }: Options) {
  await page.goto(`${url}/personas`);
  await page.getByText('Tutor').first().waitFor();
  await shot(page, 'personas');
  await page.getByRole('button', { name: 'New persona' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Ada');
  await page.getByLabel('Role').fill('A keeper of owls');
  await page.getByText('In this conversation you are “Ada”.').waitFor();
  await shot(page, 'persona-editor');
  await page.goto(`${url}/personas`);
  await page.getByRole('button', { name: 'Fuse personas' }).click();
  await page.getByLabel('Persona A').selectOption('Editor');
  await page.getByLabel('Persona B').selectOption('Tutor');
  await page.getByText('From A, B').first().waitFor();
  await shot(page, 'persona-fusion');
  await page.goto(`${url}/personas`);
  await page.getByRole('button', { name: 'Import card' }).click();
  await page.getByRole('dialog').waitFor();
  await shot(page, 'persona-import');
  await page.keyboard.press('Escape');
}

async function rareStates(page: Page, options: Options) {
  const { url, shot } = options;
  await page.goto(`${url}/nowhere`);
  await page.getByText('404 Page Not Found').waitFor();
  await shot(page, '404');
  await page.goto(`${url}/test`);
  await page.getByRole('button', { name: 'Test Auth Status' }).click();
  await page.locator('pre').waitFor();
  await shot(page, 'test');
  await page.route('**/api/conversations/*/messages*', (route) => route.abort());
  await page.goto(`${url}/?c=${'0'.repeat(24)}`);
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await shot(page, 'messages-failed');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.goto(`${url}/?c=${'0'.repeat(24)}`);
  await page.getByRole('main').getByRole('button').first().waitFor();
  await shot(page, 'not-here');
  await begin(page, options);
  await ask(page, 'Before the tunnel');
  await page.context().setOffline(true);
  await page.getByText('You are offline. What you write is kept here.').first().waitFor();
  await page.getByPlaceholder('Message STOLAS...').fill('Out of a tunnel');
  await page.getByRole('button', { name: /^Send/ }).click();
  await page.getByText('Sends when you are back online.').waitFor();
  await shot(page, 'offline');
  await page.context().setOffline(false);
}
