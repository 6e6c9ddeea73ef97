import { afterEach, expect, it } from 'vitest';
import { fromServer, section, setTranslation } from './translate.ts';

// Any section will do: its English texts are those of this test.
const t = section('app', {
  cancel: 'Cancel',
  page: ({ page }) => `page ${String(page)}`,
});

afterEach(() => setTranslation({}));

it('shows English without a translation', () => {
  expect(t('cancel')).toBe('Cancel');
  expect(t('page', { page: 7 })).toBe('page 7');
});

it('shows the translation once it is there, with its arguments', () => {
  setTranslation({
    app: { cancel: 'Abbrechen', page: ({ page }) => `Seite ${String(page)}` },
  });
  expect(t('cancel')).toBe('Abbrechen');
  expect(t('page', { page: 7 })).toBe('Seite 7');
});

it('what a translation lacks stays English', () => {
  setTranslation({ app: { cancel: 'Abbrechen' }, other: { page: 'Seite' } });
  expect(t('page', { page: 7 })).toBe('page 7');
});

it('translates whole sentences of the server, and shows all others as they are', () => {
  const sentence = 'Sign in to go on.';
  expect(fromServer(sentence)).toBe(sentence);
  setTranslation({ server: { [sentence]: 'Melde dich an.' } });
  expect(fromServer(sentence)).toBe('Melde dich an.');
  expect(fromServer('You have used 3 of 20.')).toBe('You have used 3 of 20.');
  expect(fromServer('toString')).toBe('toString');
});
