import Uppy from '@uppy/core';
import { afterEach, expect, it } from 'vitest';
import de from '../../../i18n/de.json';
import en from '../../../i18n/en.json';
import { setTranslation } from '../../../i18n/translate.ts';
import { uppyLocale } from './uppy-locale.ts';

afterEach(() => {
  setTranslation({});
  document.documentElement.lang = '';
});

const say = (key: string, values: Record<string, string | number>) =>
  new Uppy({ locale: uppyLocale() }).i18n(key, values);

it('says what Uppy says in English, in both forms', () => {
  expect(say('youCanOnlyUploadX', { smart_count: 1 })).toBe('You can only upload 1 file');
  expect(say('youCanOnlyUploadX', { smart_count: 10 })).toBe('You can only upload 10 files');
  expect(say('noDuplicates', { fileName: 'owls.txt' })).toBe(
    "Cannot add the duplicate file 'owls.txt', it already exists",
  );
  expect(say('additionalRestrictionsFailed', { count: 2 })).toBe(
    '2 additional restrictions were not fulfilled',
  );
  expect(say('filesUploadedOfTotal', { complete: 1, smart_count: 2 })).toBe(
    '1 of 2 files uploaded',
  );
});

it('leaves the texts that the product does not show to Uppy', () => {
  expect(say('youHaveToAtLeastSelectX', { smart_count: 2 })).toBe(
    'You have to select at least 2 files',
  );
});

it('has every plural form of a language that has more than two', () => {
  document.documentElement.lang = 'pl';
  const form = ({ n, count }: Readonly<Record<string, unknown>>) =>
    `${new Intl.PluralRules('pl').select(Number(n))}: ${String(count)}`;
  setTranslation({ uploader: { xFilesSelected: form } });
  const said = [1, 3, 5, 22, 112].map((n) => say('xFilesSelected', { smart_count: n }));
  expect(said).toEqual(['one: 1', 'few: 3', 'many: 5', 'few: 22', 'many: 112']);
});

it('is all of it translated', () => {
  const keys = Object.keys(uppyLocale().strings);
  expect(keys.filter((key) => !(key in en.uploader) || !(key in de.uploader))).toEqual([]);
});
