import { reloadPage } from './location.ts';
import { writeItem } from './storage.ts';

/** Where the chosen language is kept; `public/start.js` reads it. */
const KEY = 'language';

/** Stores the language of the interface and loads the page in it. Drafts and files that are being uploaded are kept. */
export function chooseLanguage(tag: string): void {
  writeItem(KEY, tag);
  reloadPage();
}
