/** A language of the demo model's answers. */
export type Language = 'en' | 'de';

// Common words of one language that do not occur in the other.
const WORDS: Record<Language, ReadonlySet<string>> = {
  de: new Set(
    (
      'der das und ist sind nicht ich du wir ihr sie ein eine einen einer mit für auf wie wer wo wann warum welche welcher welches hallo ' +
      'bitte danke kann kannst soll sollen mein meine dein deine von zu den dem im über auch aber oder wenn dass merk fasse zeige hilfe'
    ).split(' '),
  ),
  en: new Set(
    (
      'the and is are not you we an with for how what who where when why which hello please thanks can could should my your of to ' +
      'on has have had does did do this that these those it if or about show tell'
    ).split(' '),
  ),
};
const UMLAUT = /[äöüß]/;

const words = new Intl.Segmenter('und', { granularity: 'word' });

/** The language of a text by its common words; null when unknown. */
function languageOf(text: string): Language | null {
  const said = Array.from(words.segment(text.normalize('NFKC').toLowerCase()), (it) => it.segment);
  const count = (language: Language) => said.filter((word) => WORDS[language].has(word)).length;
  const german = count('de') + said.filter((word) => UMLAUT.test(word)).length;
  const english = count('en');
  if (german === english) return null;
  return german > english ? 'de' : 'en';
}

/**
 * The language of a user's messages, by the last one with a known language.
 * @param messages oldest first
 */
export function languageOfMessages(messages: readonly string[]): Language {
  for (const message of messages.toReversed()) {
    const language = languageOf(message);
    if (language) return language;
  }
  return 'en';
}
