import german from 'catalogue:de';
import { afterEach, beforeEach } from 'vitest';
import { setTranslation, type Translation } from './translate.ts';

/** Every test of this file runs in German. */
export function inGerman(): void {
  beforeEach(() => {
    document.documentElement.lang = 'de';
    setTranslation(german as unknown as Translation);
  });
  afterEach(() => {
    document.documentElement.removeAttribute('lang');
    setTranslation({});
  });
}
