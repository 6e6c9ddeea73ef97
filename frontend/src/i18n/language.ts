import translations from 'catalogue:translations';
import { setTranslation } from './translate.ts';

/** The source language of the texts. */
const SOURCE = 'en';

/** The languages of the interface, as language tags. */
export const LANGUAGES: readonly string[] = [SOURCE, ...Object.keys(translations)];

/** The language of the interface. `public/start.js` has chosen it before this code runs. */
export const language = (): string => document.documentElement.lang || SOURCE;

/** The locale for dates and numbers: the user's region, if it belongs to the language of the interface. */
export const locale = (): string =>
  navigator.languages.find((tag) => tag.split('-')[0] === language()) ?? language();

/** Loads the texts of the user's language. Without them, for example because the network failed, the interface is English. */
export async function loadLanguage(): Promise<void> {
  const load = translations[language()];
  if (load) await load().then((texts) => setTranslation(texts.default), toEnglish);
}

function toEnglish(): void {
  document.documentElement.lang = SOURCE;
}
