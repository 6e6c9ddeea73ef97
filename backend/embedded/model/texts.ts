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

/** The sentences of the samples in one language; the code itself has English names in both. */
const SAMPLES: Record<Language, Samples> = {
  en: {
    code: 'A function in TypeScript, with a comment and a string:',
    sameCode: 'The same in Python:',
    squares: 'even squares',
    heads: ['Owl', 'Latin name', 'Weight in g'],
    owls: ['Boreal owl', 'Barn owl', 'Eagle-owl'],
    reasoning:
      'The user wants to see reasoning. First I consider what an owl would do: it listens. Then it looks. ' +
      'An owl at 120 g carries prey of 60 g at most, so half its weight. That settles it.',
    thought:
      'An owl carries **half its weight** at most. How I came to that is in the reasoning above this text.',
    steps: (words, passages) =>
      `The message has ${words} words. The prompt has ${passages} passages of files. ` +
      'I compare the words of each passage with those of the message, and quote the sentence that has most of them; without such a sentence I repeat the message.',
    title: (part) => `Part ${part}: what owls teach`,
    text:
      'Owls fly **almost silently**: the leading edge of their feathers is *combed*, which breaks the air into small eddies. ' +
      'More of that at [Wikipedia](https://en.wikipedia.org/wiki/Owl), or in `docs/owls.md` if you keep one.',
    sections: ['A table', 'A list of things to do', 'Some code'],
    tasks: (part) =>
      `- [x] listen\n- [ ] look\n- [ ] decide\n  1. fly on\n  2. stay, ${part} more ${part === 1 ? 'minute' : 'minutes'}`,
    saying: '> A wise old owl lived in an oak;\n> the more he saw, the less he spoke.',
    mixed: (kilobytes) => `${kilobytes} KB of mixed Markdown`,
  },
  de: {
    code: 'Eine Funktion in TypeScript, mit einem Kommentar und einem Text:',
    sameCode: 'Dasselbe in Python:',
    squares: 'gerade Quadrate',
    heads: ['Eule', 'Lateinischer Name', 'Gewicht in g'],
    owls: ['Raufußkauz', 'Schleiereule', 'Uhu'],
    reasoning:
      'Hier soll ein Gedankengang zu sehen sein. Zuerst überlege ich, was eine Eule täte: Sie lauscht. Dann schaut sie. ' +
      'Eine Eule von 120 g trägt Beute von höchstens 60 g, also die Hälfte ihres Gewichts. Damit ist es klar.',
    thought:
      'Eine Eule trägt höchstens **die Hälfte ihres Gewichts**. Wie ich darauf komme, steht im Gedankengang über diesem Text.',
    steps: (words, passages) =>
      `Die Nachricht hat ${words} ${words === 1 ? 'Wort' : 'Wörter'}. Im Prompt ${passages === 1 ? 'steht 1 Textstelle' : `stehen ${passages} Textstellen`} aus Dateien. ` +
      'Ich vergleiche die Wörter jeder Stelle mit denen der Nachricht und zitiere den Satz, der die meisten davon enthält; gibt es keinen, wiederhole ich die Nachricht.',
    title: (part) => `Teil ${part}: Was Eulen lehren`,
    text:
      'Eulen fliegen **fast lautlos**: Die Vorderkante ihrer Federn ist *gekämmt* und zerteilt die Luft in kleine Wirbel. ' +
      'Mehr davon bei [Wikipedia](https://de.wikipedia.org/wiki/Eulen), oder in `docs/owls.md`, falls du eine hast.',
    sections: ['Eine Tabelle', 'Eine Liste mit Aufgaben', 'Etwas Code'],
    tasks: (part) =>
      `- [x] lauschen\n- [ ] schauen\n- [ ] entscheiden\n  1. weiterfliegen\n  2. bleiben, noch ${part} ${part === 1 ? 'Minute' : 'Minuten'}`,
    saying: '> Es saß eine Eule im Eichenbaum;\n> je mehr sie sah, desto stiller wurde sie.',
    mixed: (kilobytes) => `${kilobytes} KB gemischtes Markdown`,
  },
};

interface Samples {
  code: string;
  sameCode: string;
  squares: string;
  heads: readonly [string, string, string];
  owls: readonly [string, string, string];
  reasoning: string;
  thought: string;
  steps: (words: number, passages: number) => string;
  title: (part: number) => string;
  text: string;
  sections: readonly [string, string, string];
  tasks: (part: number) => string;
  saying: string;
  mixed: (kilobytes: number) => string;
}

export function codeText(language: Language, part = 1): string {
  const { code, sameCode, squares } = SAMPLES[language];
  return [
    code,
    `${FENCE}ts
/** The first ${part + 4} even squares. */
export function* evenSquares(limit = ${part + 4}): Generator<number> {
  for (let n = 1; limit > 0; n += 1) {
    if (n % 2 === 1) continue;
    limit -= 1;
    yield n * n;
  }
}

console.log('${squares}:', [...evenSquares()]);
${FENCE}`,
    sameCode,
    `${FENCE}py
squares = [n * n for n in range(2, ${2 * (part + 4) + 1}, 2)]
print(f"${squares}: {squares}")
${FENCE}`,
  ].join('\n\n');
}

const LATIN = ['*Aegolius funereus*', '*Tyto alba*', '*Bubo bubo*'];
const GRAMS = [120, 360, 2700];

export function tableText(language: Language, part = 1): string {
  const { heads, owls } = SAMPLES[language];
  return [
    `| # | ${heads.join(' | ')} |`,
    '| --- | :-- | :-: | --: |',
    ...owls.map((owl, at) => `| ${part}.${at + 1} | ${owl} | ${LATIN[at]} | ${GRAMS[at]} |`),
  ].join('\n');
}

export const reasoningText = (language: Language): string => SAMPLES[language].reasoning;

export const thoughtText = (language: Language): string => SAMPLES[language].thought;

/** The demo model's steps to any other answer. */
export const stepsText = (
  language: Language,
  { asked, passages }: { asked: string; passages: number },
): string => SAMPLES[language].steps(asked.split(/\s+/).filter(Boolean).length, passages);

/** Every kind of Markdown once, about 1 KB. Parts with different numbers differ. */
export function markdownText(language: Language, part = 1): string {
  const { title, text, sections, tasks, saying } = SAMPLES[language];
  const [table, list, code] = sections;
  return [
    `## ${title(part)}`,
    text,
    `### ${table}\n\n${tableText(language, part)}`,
    `### ${list}\n\n${tasks(part)}`,
    saying,
    `### ${code}\n\n${codeText(language, part)}`,
  ].join('\n\n');
}

/** Mixed Markdown of `kilobytes` KB, to the next whole part. */
export function longText(language: Language, kilobytes: number): string {
  let text = `# ${SAMPLES[language].mixed(kilobytes)}`;
  for (let part = 1; text.length < kilobytes * 1000; part += 1)
    text += `\n\n${markdownText(language, part)}`;
  return text;
}
