import type en from './en.json';

type Catalogue = typeof en;
/** A text without arguments, or the function that puts arguments into it. */
type Message = string | ((values: Values) => string);
type Values = Readonly<Record<string, string | number | Date>>;
export type Messages = Readonly<Record<string, Message>>;
/** The sections of a language other than English. */
export type Translation = Readonly<Record<string, Messages>>;

/** Gives a text of a section by its key. */
export type Texts<S extends keyof Catalogue> = (
  key: keyof Catalogue[S] & string,
  values?: Values,
) => string;

let translation: Translation = {};

/** Shows all texts in this translation from now on; missing texts stay English. */
export const setTranslation = (texts: Translation): void => {
  translation = texts;
};

/**
 * The function that gives the texts of one section of the catalogue in the user's language. Call it while rendering or
 * in a handler, never while a module loads: the translation may not be there yet.
 * @param english the compiled section of en.json
 */
export const section =
  <S extends keyof Catalogue>(name: S, english: Messages): Texts<S> =>
  (key, values = {}) => {
    const message = translation[name]?.[key] ?? english[key] ?? key;
    return typeof message === 'string' ? message : message(values);
  };

/**
 * A sentence of the server in the user's language: the English sentences are the keys of the section `server` of a
 * translation.
 */
export function fromServer(sentence: string): string {
  const message = translation.server?.[sentence];
  return typeof message === 'string' ? message : sentence;
}
