/** Number of distinct words in the texts. */
const VOCABULARY = 30_000;
const SYLLABLES = 'ka lo mi ter sun ven dra po che ri on est al qui bor'.split(' ');

/** The n-th word, where a lower n is more frequent; frequent words are shorter. */
function wordAt(n: number): string {
  let word = '';
  for (let rest = n + 1; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length];
  return word;
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: string): () => number {
  let state = Array.from(seed).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Writes texts with the word frequencies of a language (Zipf's law); the same `seed` writes the same ones. */
export function writer(seed: string): (words: number) => string {
  const random = randomOf(seed);
  const word = () => wordAt(Math.floor(VOCABULARY ** random()) - 1);
  return (words) => Array.from({ length: words }, word).join(' ');
}

/** Any of the words, so mostly rare ones. */
export function rareWords(seed: string): () => string {
  const random = randomOf(seed);
  return () => wordAt(Math.floor(random() * VOCABULARY));
}
