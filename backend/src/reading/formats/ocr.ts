import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createWorker, OEM } from 'tesseract.js';
import { dataFolderOf } from '../languages.ts';
import { loadSharp } from './load-sharp.ts';

/** Below this confidence (0–100) a picture is turned, or has no text: upright text reaches 80, turned text and photographs 50. */
const MIN_CONFIDENCE = 65;
const ANGLES = [0, 90, 180, 270];

export interface Recogniser {
  /** The text of a picture; empty when it has none. */
  textOf: (picture: Buffer) => Promise<string>;
}

let created: Promise<Recogniser> | undefined;

/** Recognises text in pictures, with the languages of the first call; everything that it needs is in its packages. */
export const recogniserOf = (languages: readonly string[]): Promise<Recogniser> =>
  (created ??= createRecogniser(languages));

async function createRecogniser(languages: readonly string[]): Promise<Recogniser> {
  const worker = await createLanguages(languages);
  const sharp = await loadSharp();
  // The pages of a scan are mostly turned alike.
  let angles = ANGLES;
  return {
    textOf: async (picture) => {
      for (const angle of angles) {
        const turned = angle === 0 ? picture : await sharp(picture).rotate(angle).png().toBuffer();
        const { text, confidence } = (await worker.recognize(turned)).data;
        if (confidence < MIN_CONFIDENCE) continue;
        angles = [angle, ...ANGLES.filter((other) => other !== angle)];
        return text.trim();
      }
      return '';
    },
  };
}

async function createLanguages([first = '', ...others]: readonly string[]) {
  // The worker keeps this list of what it has loaded. It loads from one folder, and each language is in a package of its own.
  const loaded: string[] = [first];
  // Without `langPath` it would download the language; with a cache it would write files.
  const worker = await createWorker(loaded, OEM.LSTM_ONLY, {
    langPath: dataFolderOf(first),
    gzip: true,
    cacheMethod: 'none',
  });
  for (const code of others) {
    const data = gunzipSync(readFileSync(path.join(dataFolderOf(code), `${code}.traineddata.gz`)));
    await worker.FS('writeFile', [`${code}.traineddata`, data]);
    loaded.push(code);
  }
  await worker.reinitialize(loaded.join('+'));
  return worker;
}
