import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { newEmail } from '../../backend/test/new-user.ts';
import de from '../src/i18n/de.json' with { type: 'json' };
import en from '../src/i18n/en.json' with { type: 'json' };
import { sharedProduct } from './open-product.ts';
import { shot } from './shot.ts';
import { barriers, completes, lastReply, pathOf } from './steps.ts';
import { textFile } from './upload-steps.ts';

// A user whose browser prefers German. The tests share one browser and follow one another.
const { url, arrive } = await sharedProduct();
let page: Page;

beforeAll(async () => {
  const visitor = await arrive({ locale: 'de-DE', reducedMotion: 'reduce' });
  page = await visitor.open('/');
});

type Texts = Readonly<Record<string, string>>;
const PLURAL = /\{\w+, plural,((?:\s*[\w=]+ \{(?:[^{}]|\{\w+\})*\})+)\}/;
const FORM = /[\w=]+ \{((?:[^{}]|\{\w+\})*)\}/g;

/** A text with a plural as one text for each of its forms. */
function formsOf(text: string): string[] {
  const plural = PLURAL.exec(text);
  if (!plural) return [text];
  const forms = [...(plural[1] ?? '').matchAll(FORM)].map(([, form = '']) => form);
  return forms.flatMap((form) => formsOf(text.replace(plural[0], form)));
}

/** The texts that stand alone in the page: those of elements in a text are apart from it. */
const piecesOf = (text: string): string[] =>
  formsOf(text)
    .flatMap((form) => form.split(/<\/?\w+>/))
    .map((piece) => piece.replaceAll("''", "'").trim())
    .filter((piece) => /\p{L}{2}/u.test(piece.replaceAll(/\{\w+\}/g, '')));

const patternOf = (piece: string): string =>
  piece
    .split(/\{\w+\}/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('.+');

/** English texts that a German page must not show. Texts that are equal in both languages are left out. */
function englishOnly(): RegExp {
  const german = new Set(Object.values<Texts>(de).flatMap((section) => Object.values(section)));
  const texts = Object.values<Texts>(en).flatMap((section) => Object.values(section));
  const server = Object.entries(de.server).flatMap(([sentence, text]) =>
    sentence === text ? [] : sentence,
  );
  const pieces = [...texts.filter((text) => !german.has(text)), ...server].flatMap(piecesOf);
  const germanPieces = new Set([...german].flatMap(piecesOf));
  const patterns = pieces.filter((piece) => !germanPieces.has(piece)).map(patternOf);
  return new RegExp(`^(?:${patterns.join('|')})$`, 'u');
}
const ENGLISH = englishOnly();

/** All texts and accessible names of the page, without the texts of the model and the names of languages. */
const shownTexts = () =>
  page.evaluate(() => {
    const found = [document.title];
    const isOurs = (element: Element) =>
      !element.closest('.reply, script, style, [lang]:not(html)') && element.checkVisibility();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode())
      if (node.parentElement && isOurs(node.parentElement)) found.push(node.textContent ?? '');
    const names = [
      'aria-label',
      'aria-description',
      'aria-valuetext',
      'placeholder',
      'title',
      'alt',
    ];
    for (const element of document.body.querySelectorAll('*'))
      if (isOurs(element)) found.push(...names.map((name) => element.getAttribute(name) ?? ''));
    return found.map((text) => text.trim()).filter((text) => text !== '');
  });

/** Texts of the page that are not German, missing texts, and accessibility errors. */
async function faults(...expected: string[]): Promise<string[]> {
  const texts = await shownTexts();
  const language = await page.locator('html').getAttribute('lang');
  await shot(page, `de${pathOf(page).replaceAll('/', '-')}`);
  return [
    ...expected.filter((text) => !texts.includes(text)).map((text) => `missing: ${text}`),
    ...texts.filter((text) => ENGLISH.test(text)),
    ...(language === 'de' ? [] : [`lang=${language}`]),
    ...(await barriers(page)),
  ];
}

const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
const button = (name: string) => page.getByRole('button', { name, exact: true });

it('knows English texts from German ones', () => {
  for (const text of ['Sign In', 'Used in', 'and 3 more', 'You can only upload 10 files'])
    expect(text).toMatch(ENGLISH);
  for (const text of ['Anmelden', 'Benutzt in', 'System', 'Du kannst nur 10 Dateien hochladen'])
    expect(text).not.toMatch(ENGLISH);
});

it('the landing page is in German', async () => {
  await page.getByRole('contentinfo').waitFor();
  expect(await faults(de.landing.enter)).toEqual([]);
});

it('the login page is in German, in both of its forms', async () => {
  await page.goto(`${url}/login`);
  await button(de.auth.guest).waitFor();
  expect(await faults(de.auth.guest)).toEqual([]);
  await button(de.auth.toRegister).click();
  expect(await faults(de.auth.toSignIn)).toEqual([]);
});

it('the plans are in German', async () => {
  await page.locator('input[name=firstName]').fill('Ada');
  await page.locator('input[name=email]').fill(newEmail());
  await page.locator('input[name=password]').fill('ein ausreichend langes Passwort');
  await page.locator('form button[type=submit]').click();
  await heading(de.plans.title);
  expect(await faults(de.plans.title)).toEqual([]);
});

it('the chat is in German, with a message, its reply and their controls', async () => {
  await button(de.plans.choose.replace('{plan}', 'Starter')).click();
  // The page of the payment provider.
  await button('Pay').click();
  const composer = page.locator('textarea');
  await composer.waitFor();
  expect(await faults(de.chat.startConversation)).toEqual([]);
  await composer.fill('Erzähle mir von Eulen.');
  await page.keyboard.press('Enter');
  await expect.poll(() => lastReply(page).count()).toBe(1);
  await completes(page);
  await lastReply(page).hover();
  expect(await faults(de.chat.regenerate)).toEqual([]);
});

it('the file library and the uploader are in German', async () => {
  await page.goto(`${url}/files`);
  await page.getByText(de.library.empty, { exact: true }).waitFor();
  expect(await faults(de.library.empty, de.library.searchPlaceholder)).toEqual([]);
  await button(de.library.upload).click();
  const input = page.locator('.uppy-Dashboard-input').first();
  await input.waitFor({ state: 'attached' });
  expect(await faults(de.uploader.browseFiles, 'Dateien bis 10 MB')).toEqual([]);
  const file = textFile('eulen.txt', 'Eulen jagen nachts.');
  const raben = { ...file, name: 'raben.txt', buffer: Buffer.alloc(1_572_864, 'Raben. ') };
  await input.setInputFiles([file, raben]);
  await page.getByText('1,5 MB', { exact: true }).waitFor();
  await page.getByText('2 Dateien ausgewählt', { exact: true }).waitFor();
  expect(await faults('2 Dateien ausgewählt', '2 Dateien hochladen')).toEqual([]);
  await page.locator('.uppy-StatusBar-actionBtn--upload').click();
  await page.getByText('2 Dateien erfolgreich hochgeladen.', { exact: true }).waitFor();
  const row = button('eulen.txt');
  await row.waitFor();
  expect(await faults(de.uploader.uploaded, 'Aktionen für eulen.txt')).toEqual([]);
  await row.click();
  await page.getByText('Eulen jagen nachts.').waitFor();
  expect(await faults(de.viewer.zoomIn)).toEqual([]);
});

it('the subscription is in German', async () => {
  await page.goto(`${url}/subscription?change=true`);
  await page.getByText('Aktueller Tarif: Starter', { exact: true }).waitFor();
  expect(await faults('Aktueller Tarif: Starter')).toEqual([]);
});

it('the settings are in German', async () => {
  await page.goto(`${url}/settings`);
  await page.getByText(de.storageUse.seeFiles, { exact: true }).waitFor();
  await page.getByText(/^Dieser Browser, .* angemeldet$/).waitFor();
  await page.locator('summary').first().click();
  expect(await faults(de.settings.appearance, de.settings.delete)).toEqual([]);
  await button(de.settings.showShortcuts).click();
  await page.getByRole('dialog').waitFor();
  expect(await faults(de.shortcuts.title)).toEqual([]);
  await page.keyboard.press('Escape');
});

it('choosing English in Settings brings English back, here and on the other pages', async () => {
  // Not 'check': the page loads again before it shows the choice.
  await page.getByRole('radio', { name: 'English', exact: true }).click({ force: true });
  await heading(en.app.settings);
  await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('en');
  await expect
    .poll(() => page.getByRole('radio', { name: 'English', exact: true }).isChecked())
    .toBe(true);
  await page.goto(`${url}/files`);
  await heading(en.app.files);
});
