import type { Language } from './language.ts';
import { PHRASES } from './phrases.ts';

// The texts of the demo model, in Markdown. Every text is a pure function of the prompt, so that an interrupted answer can be continued.

const FENCE = '```';

const MAX_ECHO_LENGTH = 400;

/** `text` as a quote, shortened. */
function quote(text: string): string {
  const whole = text.trim();
  // Half a surrogate pair is not text.
  const shown = whole.slice(0, MAX_ECHO_LENGTH).replace(/[\uD800-\uDBFF]$/, '');
  const lines = `${shown}${whole.length > MAX_ECHO_LENGTH ? ' …' : ''}`.split('\n');
  return lines.map((line) => `> ${line}`).join('\n');
}

export function echoText(asked: string, language: Language): string {
  const { greeting, received, tryThese } = PHRASES[language].echo;
  const words = asked.split(/\s+/).filter(Boolean).length;
  return [greeting, quote(asked), received(words), tryThese].join('\n\n');
}

/** The demo model's end of a panel. */
export function synthesisText(
  names: string,
  { asked, language }: { asked: string; language: Language },
): string {
  const { answered, agreed } = PHRASES[language].panel;
  return [answered(names), quote(asked), agreed].join('\n\n');
}

export function codeText(part = 1): string {
  return [
    'A function in TypeScript, with a comment and a string:',
    `${FENCE}ts
/** The first ${part + 4} even squares. */
export function* evenSquares(limit = ${part + 4}): Generator<number> {
  for (let n = 1; limit > 0; n += 1) {
    if (n % 2 === 1) continue;
    limit -= 1;
    yield n * n;
  }
}

console.log('even squares:', [...evenSquares()]);
${FENCE}`,
    'The same in Python:',
    `${FENCE}py
squares = [n * n for n in range(2, ${2 * (part + 4) + 1}, 2)]
print(f"even squares: {squares}")
${FENCE}`,
  ].join('\n\n');
}

export function tableText(part = 1): string {
  const rows = [
    ['Boreal owl', '*Aegolius funereus*', 120],
    ['Barn owl', '*Tyto alba*', 360],
    ['Eagle-owl', '*Bubo bubo*', 2700],
  ] as const;
  return [
    '| # | Owl | Latin name | Weight in g |',
    '| --- | :-- | :-: | --: |',
    ...rows.map(
      ([owl, latin, grams], index) => `| ${part}.${index + 1} | ${owl} | ${latin} | ${grams} |`,
    ),
  ].join('\n');
}

export const reasoningText = (): string =>
  'The user wants to see reasoning. First I consider what an owl would do: it listens. Then it looks. ' +
  'An owl at 120 g carries prey of 60 g at most, so half its weight. That settles it.';

/** The demo model's steps to any other answer. */
export const stepsText = ({ asked, passages }: { asked: string; passages: number }): string =>
  `The message has ${asked.split(/\s+/).filter(Boolean).length} words. ` +
  `The prompt has ${passages} passages of files. ` +
  'I compare the words of each passage with those of the message, and quote the sentence that has most of them; without such a sentence I repeat the message.';

export const thoughtText = (): string =>
  'An owl carries **half its weight** at most. How I came to that is in the reasoning above this text.';

/** Every kind of Markdown once, about 1 KB. Parts with different numbers differ. */
export function markdownText(part = 1): string {
  return [
    `## Part ${part}: what owls teach`,
    'Owls fly **almost silently**: the leading edge of their feathers is *combed*, which breaks the air into small eddies. ' +
      'More of that at [Wikipedia](https://en.wikipedia.org/wiki/Owl), or in `docs/owls.md` if you keep one.',
    `### A table\n\n${tableText(part)}`,
    `### A list of things to do\n\n- [x] listen\n- [ ] look\n- [ ] decide\n  1. fly on\n  2. stay, ${part} more ${part === 1 ? 'minute' : 'minutes'}`,
    '> A wise old owl lived in an oak;\n> the more he saw, the less he spoke.',
    `### Some code\n\n${codeText(part)}`,
  ].join('\n\n');
}

/** Mixed Markdown of `kilobytes` KB, to the next whole part. */
export function longText(kilobytes: number): string {
  let text = `# ${kilobytes} KB of mixed Markdown`;
  for (let part = 1; text.length < kilobytes * 1000; part += 1) text += `\n\n${markdownText(part)}`;
  return text;
}
