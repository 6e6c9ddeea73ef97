import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import MessageFormat from '@messageformat/core';
import compileModule from '@messageformat/core/lib/compile-module.js';
import type { Plugin } from 'vite';

const FOLDER = path.join(import.meta.dirname, 'src/i18n');
const PREFIX = 'catalogue:';
const TEXTS = 'virtual:texts/';
/** The source language of the texts. */
const SOURCE = 'en';

type Messages = { [key: string]: string | Messages };

/** The languages that the interface is translated into: each has a file in `src/i18n`. */
export const translations = (folder = FOLDER): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.json') && file !== `${SOURCE}.json`)
    .map((file) => path.basename(file, '.json'));

/**
 * Compiles the catalogue of texts (ICU MessageFormat) while building, so that pages load no parser and only the texts
 * that they show. `catalogue:en/chat` is one section of one language, `catalogue:de` all sections of it, and
 * `catalogue:translations` a function per translation that loads it. `virtual:texts/chat` exports the `t` of one section.
 * @param folder with a file per language
 */
export const catalogue = (folder = FOLDER): Plugin => ({
  name: 'catalogue',
  resolveId: (source) =>
    source.startsWith(PREFIX) || source.startsWith(TEXTS) ? `\0${source}` : undefined,
  load(id) {
    if (id.startsWith(`\0${TEXTS}`)) return textsOf(id.slice(TEXTS.length + 1));
    if (!id.startsWith(`\0${PREFIX}`)) return undefined;
    const [language = '', section] = id.slice(PREFIX.length + 1).split('/');
    if (language === 'translations') return loaders(translations(folder));
    const file = path.join(folder, `${language}.json`);
    this.addWatchFile(file);
    const messages: Messages = JSON.parse(readFileSync(file, 'utf8'));
    if (section === undefined) return compile(language, messages);
    const texts = messages[section];
    if (typeof texts !== 'object') throw new Error(`${language}.json has no section ${section}.`);
    return compile(language, texts);
  },
});

/** `{label, lower}`: an argument in lower case, for languages with lower-case nouns in a sentence. */
const customFormatters = { lower: (value: unknown) => String(value).toLowerCase() };

/** Source of a module with a string for each constant text, and a function for each text with arguments. */
function compile(language: string, messages: Messages): string {
  const source = compileModule(new MessageFormat(language, { customFormatters }), messages);
  return source.replaceAll(/: \(\) => ("(?:[^"\\]|\\.)*")/g, ': $1');
}

function textsOf(section: string): string {
  return `
    import { section } from ${JSON.stringify(path.join(FOLDER, 'translate.ts'))};
    import english from '${PREFIX}${SOURCE}/${section}';
    export const t = section('${section}', english);`;
}

function loaders(languages: string[]): string {
  const entries = languages.map((it) => `${it}: () => import('${PREFIX}${it}')`);
  return `export default { ${entries.join(', ')} };`;
}
