import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LANGUAGES, language, loadLanguage, locale } from './language.ts';
import { section, setTranslation } from './translate.ts';

const load = vi.hoisted(() => vi.fn<() => Promise<{ default: unknown }>>());
vi.mock('catalogue:translations', () => ({ default: { de: load } }));

const t = section('app', { cancel: 'Cancel' });
const browserHas = (...languages: string[]) =>
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue(languages);

beforeEach(() => {
  load.mockReset().mockResolvedValue({ default: { app: { cancel: 'Abbrechen' } } });
});
afterEach(() => {
  document.documentElement.removeAttribute('lang');
  setTranslation({});
});

it('has English and each translation', () => {
  expect(LANGUAGES).toEqual(['en', 'de']);
});

it('loads the texts of the language that start.js has chosen', async () => {
  document.documentElement.lang = 'de';
  await loadLanguage();
  expect(t('cancel')).toBe('Abbrechen');
  expect(language()).toBe('de');
});

it('loads nothing for English', async () => {
  document.documentElement.lang = 'en';
  await loadLanguage();
  expect(load).not.toHaveBeenCalled();
  expect(t('cancel')).toBe('Cancel');
});

it('is English, dates and numbers included, when the texts cannot be loaded', async () => {
  document.documentElement.lang = 'de';
  browserHas('de-AT');
  load.mockRejectedValue(new TypeError('Failed to fetch'));
  await loadLanguage();
  expect(t('cancel')).toBe('Cancel');
  expect(document.documentElement.lang).toBe('en');
  expect(locale()).toBe('en');
});

it.each([
  ['en', ['de-AT', 'en-GB', 'en-US'], 'en-GB'],
  ['de', ['en-GB', 'de-AT'], 'de-AT'],
  ['de', ['en-GB', 'fr'], 'de'],
])('in %s a browser with %j has the locale %s', (lang, languages, expected) => {
  document.documentElement.lang = lang;
  browserHas(...languages);
  expect(locale()).toBe(expected);
});
