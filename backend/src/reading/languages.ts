import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** A language of Tesseract, such as `deu`, `chi_sim` or `aze_cyrl`. */
export const LANGUAGE_CODE = /^[a-z]{3}(_[a-z]{1,10})?$/;

const packageOf = (code: string): string => `@tesseract.js-data/${code}`;

/** The folder with the data of a language, which is in a package of its own. */
export const dataFolderOf = (code: string): string =>
  (require(packageOf(code)) as { langPath: string }).langPath;

/** @throws Error that says what to do, when the data of a language is not installed */
export function checkLanguages(codes: readonly string[]): void {
  const missing = codes.filter((code) => !isInstalled(code)).map(packageOf);
  if (missing.length === 0) return;
  throw new Error(
    `OCR_LANGUAGES names a language whose data is not installed. Run "npm install -w backend ${missing.join(' ')}", or remove it from OCR_LANGUAGES (${codes.join(',')}).`,
  );
}

function isInstalled(code: string): boolean {
  try {
    require.resolve(packageOf(code));
    return true;
  } catch {
    return false;
  }
}
