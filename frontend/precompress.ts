import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { minify, type Plugin } from 'vite';

const COMPRESSIBLE = /\.(js|css|svg)$/;
const BEST_BROTLI = 11;
/** Takes a sixth of the time, for files that are 8 % larger. */
const QUICK_BROTLI = 9;

/** Minifies the scripts of the folder `public`, which are no part of the bundle. */
export const minifyPublic = (names: readonly string[]): Plugin => ({
  name: 'minify-public',
  apply: 'build',
  writeBundle: {
    order: 'pre',
    sequential: true,
    handler: async ({ dir = 'dist' }) => {
      for (const name of names) {
        const file = path.join(dir, name);
        const { code } = await minify(name, await readFile(file, 'utf8'), { module: false });
        await writeFile(file, code);
      }
    },
  },
});

/** Writes `.br` and `.gz` beside every file of the build, for `backend/src/http/static-files.ts` to serve. */
export const precompress = (): Plugin => ({
  name: 'precompress',
  apply: 'build',
  async writeBundle({ dir = 'dist' }, bundle) {
    const entries = await readdir(dir, { recursive: true });
    const compressible = entries.filter((name) => COMPRESSIBLE.test(name));
    await Promise.all(
      compressible.map((name) => {
        // The highlighter's grammars are left out: they are large and rarely requested.
        const isChunk = bundle[name.replaceAll(path.sep, '/')]?.type === 'chunk';
        return compress(path.join(dir, name), isChunk ? BEST_BROTLI : QUICK_BROTLI);
      }),
    );
  },
});

async function compress(file: string, quality: number): Promise<void> {
  const content = await readFile(file);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(content, { params }),
    promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  await Promise.all([writeFile(`${file}.br`, brotli), writeFile(`${file}.gz`, gzipped)]);
}
