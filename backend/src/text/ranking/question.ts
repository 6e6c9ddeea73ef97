import { pageReferencesOf } from './page-references.ts';
import type { Query } from './rank.ts';
import { FILE_WORDS, KIND_WORDS, LENGTH_WORDS, REQUEST_WORDS } from './request-words.ts';
import { type Language, languagesOf, stopWordsOf } from './stop-words.ts';
import { type QueryTerm, queryTermsOf, type Word, wordsOf } from './terms.ts';

/** The question to the files in the last messages of a user. */
export interface Question {
  query: Query;
  /** It is about a file as a whole, such as 'Summarise it', so searching for its words is pointless. */
  isGeneral: boolean;
  /** It asks for a fact, not for a task such as 'Can you grade my essay?'. */
  asksForFact: boolean;
  languages: Language[];
  /** Whether a good part of its words identifies the language. */
  isSure: boolean;
  /** It has so few terms that its answer may have other words. */
  isShort: boolean;
}

/** A question with fewer terms is read together with the previous one, and the answer to one with as many may have other words. */
const SHORT = 3;
const PREVIOUS_WEIGHT = 0.3;
/** Words such as 'summary' are rarely the subject. */
const REQUEST_WEIGHT = 0.25;
/** A pasted text may have thousands. */
const MAX_TERMS = 100;

/**
 * @param message the message to answer, without names of files
 * @param previous the user message before it
 * @param hasFiles whether the message attaches files
 */
export function readQuestion({
  message,
  previous,
  hasFiles,
}: {
  message: string;
  previous: string;
  hasFiles: boolean;
}): Question {
  const { pages, rest } = pageReferencesOf(message);
  const own = understand(rest);
  const before = understand(pageReferencesOf(previous).rest);
  const isAlone = before.subject.length === 0;
  const isRequest = own.request.length > 0 && (own.namesFile || isAlone);
  // 'And in the other file?' asks the previous question again.
  const continues = !isAlone && !own.isTask && CONTINUES.test(message);
  const isWhole =
    own.subject.length === 0
      ? (hasFiles || isRequest) && !continues
      : own.isOfWhole && (isRequest || (hasFiles && isAlone));
  const isGeneral = pages.length === 0 && isWhole;

  const weights = new Map<string, number>();
  const add = (words: Word[], share: number) => {
    for (const { term, weight } of queryTermsOf(words))
      if (!weights.has(term)) weights.set(term, weight * share);
  };
  add(own.subject, 1);
  if (countOf(own.subject) < SHORT) add(before.subject, PREVIOUS_WEIGHT);
  if (own.subject.length > 0) add(own.request, REQUEST_WEIGHT);
  const terms = [...weights]
    .slice(0, MAX_TERMS)
    .map(([term, weight]): QueryTerm => ({ term, weight }));
  return {
    query: { terms, pages },
    isGeneral,
    asksForFact: /[?？؟]|[;\u037e]\s*$/u.test(message) && !ASKS_FOR_WORK.test(message),
    languages: own.languages,
    isSure: own.isSure,
    isShort: countOf([...own.subject, ...own.request]) <= SHORT,
  };
}

/** The text whose meaning is compared with passages: a message that is too short alone is combined with the previous one. */
export const meaningOf = ({ message, previous }: { message: string; previous: string }): string =>
  previous !== '' && countOf(understand(message).subject) < SHORT
    ? `${previous}\n${message}`
    : message;

const countOf = (words: readonly Word[]) => words.flatMap(({ terms }) => terms).length;

/** A polite request, or a possession of the user: rarely a question that the words of a file answer. */
const ASKS_FOR_WORK = new RegExp(
  [
    String.raw`^\s*(?:can|could|would|will)\s+you`,
    String.raw`^\s*(?:kannst|könntest|würdest)\s+du|^\s*(?:können|könnten|würden)\s+sie`,
    String.raw`^\s*(?:peux|pourrais)-tu|^\s*(?:pouvez|pourriez)-vous`,
    String.raw`^\s*¿?(?:puedes|podrías|puede|podría)|^\s*(?:puoi|potresti)|^\s*(?:pode|poderia|você pode)|^\s*(?:kun|kunt) (?:je|u)`,
    String.raw`(?<!\p{L})(?:my|mein|meine|meinen|meinem|meiner|mon|ma|mes|mio|mia|meu|minha|mijn|мой|моя|мою|моё)(?!\p{L})`,
  ].join('|'),
  'iu',
);

/** The beginning of a question that is the previous one about something else. */
const CONTINUES = /^\s*(?:and|und|et|y|ed?|en|и|а|(?:what|how) about|was ist mit)(?!\p{L})/iu;

/** 'Mietvertrag', 'Geschäftsbericht'. */
const KIND_COMPOUND = /(?:bericht|vertrag|protokoll)(?:e?s)?$/;

/** At least this share of the words of a sentence are stop words of its language. */
const SURE_SHARE = 0.25;

function understand(text: string) {
  const words = [...wordsOf(text)];
  const languages = languagesOf(words.map(({ word }) => word));
  const stopWords = stopWordsOf(languages);
  const said = words.filter(({ word }) => !stopWords.has(word));
  const common = words.length - said.length;
  const isRequest = ({ word }: Word) => REQUEST_WORDS.has(word) || FILE_WORDS.has(word);
  const isLength = ({ word }: Word) => LENGTH_WORDS.has(word) || /^\d{1,3}$/.test(word);
  const isKind = ({ word }: Word) => KIND_WORDS.has(word) || KIND_COMPOUND.test(word);
  return {
    languages,
    isSure: common >= words.length * SURE_SHARE,
    subject: said.filter((word) => !isRequest(word)),
    request: said.filter(isRequest),
    namesFile: said.some((word) => FILE_WORDS.has(word.word) || isKind(word)),
    isTask: said.some(({ word }) => REQUEST_WORDS.has(word)),
    /** What is no request only says which kind of file, or how long the result is to be. */
    isOfWhole:
      said.some(({ word }) => !/^\d/.test(word)) &&
      said.every((word) => isRequest(word) || isKind(word) || isLength(word)),
  };
}
