// The notation of the lists in this folder.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * One small mistake per entry of `places`: under a text that occurs once in the file (or '' for its beginning), texts of
 * which the part between `~~` and `~~` is taken out of the first place that follows. As `[text, put]`, `put` takes its place.
 * @param {{ file: string, tests: string[], suite?: string }} where
 * @param {Record<string, (string | [text: string, put: string])[]>} places
 */
export const mistakes = ({ file, tests, suite }, places) =>
  Object.entries(places).flatMap(([after, texts]) =>
    texts.map((entry) => {
      const [text, put = ''] = [entry].flat();
      const [left = '', struck = '', right = ''] = text.split('~~');
      const name = `${short(file)} ${label(after)}: ${text.replaceAll(/\s+/g, ' ')}`;
      return {
        name: put ? `${name} → ${put}` : name,
        file,
        after,
        find: left + struck + right,
        replace: left + put + right,
        tests,
        suite,
      };
    }),
  );

const short = (file) =>
  file.replace(/^backend\/src\/(features\/)?/, '').replace(/(\/index)?\.ts$/, '');

/** The name that a text like `const find = async (` or `schema.index({ email` is about. */
const label = (after) =>
  after
    .trim()
    .replace(/^(const|(async )?function|return async) /, '')
    .replace(/( =.*|: async|: \(.*)$/s, '');

/** Where the text of a mutation begins in a source; -1 when it, or what it follows, is gone. */
export function placeOf({ after, find }, source) {
  const from = after ? source.indexOf(after) : 0;
  if (from === -1 || (after && source.lastIndexOf(after) !== from)) return -1;
  const at = source.indexOf(find, from);
  if (!after) return source.lastIndexOf(find) === at ? at : -1;
  return at - from < REACH ? at : -1;
}

/** Names of the mutations whose text no longer occurs in the project at `root`: they test nothing. */
export const misfits = (mutations, root) =>
  mutations
    .filter((mutation) => {
      const source = path.join(root, mutation.file);
      return !existsSync(source) || placeOf(mutation, readFileSync(source, 'utf8')) === -1;
    })
    .map(({ name }) => name);

/** A text that is gone must not be found in another function. */
const REACH = 1_500;
