import { createRequire } from 'node:module';
import { createWorker, OEM } from 'tesseract.js';

const require = createRequire(import.meta.url);

/** Recognises English text in pictures, with data from its packages only. */
export async function createRecogniser() {
  const { langPath } = require('@tesseract.js-data/eng') as { langPath: string };
  // Without `langPath` it would download the language; with a cache it would write files.
  const worker = await createWorker('eng', OEM.LSTM_ONLY, {
    langPath,
    gzip: true,
    cacheMethod: 'none',
  });
  return {
    textOf: async (picture: Buffer): Promise<string> =>
      (await worker.recognize(picture)).data.text.trim(),
  };
}
