import type { Language } from './language.ts';
import { type PromptFiles, statementsAbout } from './passages.ts';
import {
  codeText,
  longText,
  markdownText,
  reasoningText,
  tableText,
  thoughtText,
} from './texts.ts';

/** The failure of an answer on request, after half of it was sent (`hang`: before its first word). */
type Break = 'hang' | 'stall' | 'cut' | 'end' | 'json' | 'refuse' | 'length';

export interface Answer {
  text: string;
  /** Sent before the text, as reasoning. */
  reasoning?: string;
  /** Milliseconds until the first word. */
  waitMs: number;
  chunksPerSecond: number;
  breaks?: Break;
  /** Sent instead of any text. */
  error?: { status: number; code: string; message: string };
}

const PACE = 25;
const BREAKS: Record<Break, Record<Language, string>> = {
  hang: { en: 'not one word comes', de: 'es kommt kein Wort' },
  stall: {
    en: 'the answer stops in the middle and the connection stays open',
    de: 'die Antwort hört in der Mitte auf, und die Verbindung bleibt offen',
  },
  cut: {
    en: 'the connection is cut in the middle',
    de: 'die Verbindung bricht in der Mitte ab',
  },
  end: {
    en: 'the answer ends early and without an ending',
    de: 'die Antwort hört zu früh und ohne Ende auf',
  },
  json: {
    en: 'a broken piece arrives in the middle',
    de: 'in der Mitte kommt ein kaputtes Stück an',
  },
  refuse: {
    en: 'the rest is withheld by a content filter',
    de: 'ein Inhaltsfilter hält den Rest zurück',
  },
  length: {
    en: 'the answer reaches its length limit in the middle',
    de: 'die Antwort erreicht in der Mitte ihre Höchstlänge',
  },
};

const ERROR_CODES: Record<number, string> = {
  401: 'invalid_api_key',
  404: 'model_not_found',
  429: 'rate_limit_exceeded',
};

export const say = (text: string): Answer => ({ text, waitMs: 0, chunksPerSecond: PACE });

interface Command {
  example: string;
  does: Record<Language, string>;
  answer(args: string[], context: { files: PromptFiles | null; language: Language }): Answer;
}

/** Commands that show the product. */
const SHOWING: Record<string, Command> = {
  '/markdown': {
    example: '/markdown',
    does: { en: 'everything that Markdown has, once', de: 'alles, was Markdown kann, einmal' },
    answer: (_, { language }) => say(markdownText(language)),
  },
  '/table': {
    example: '/table',
    does: { en: 'a table', de: 'eine Tabelle' },
    answer: (_, { language }) => say(tableText(language)),
  },
  '/code': {
    example: '/code',
    does: { en: 'code in two languages', de: 'Code in zwei Sprachen' },
    answer: (_, { language }) => say(codeText(language)),
  },
  '/think': {
    example: '/think',
    does: {
      en: 'shows its reasoning before it answers',
      de: 'zeigt den Gedankengang vor der Antwort',
    },
    answer: (_, { language }) => ({
      ...say(thoughtText(language)),
      reasoning: reasoningText(language),
    }),
  },
  '/claims': {
    example: '/claims',
    does: {
      en: 'states three things about the files of the conversation, of which they support one, contradict one and lack one',
      de: 'behauptet drei Dinge über die Dateien der Unterhaltung: Eines belegen sie, einem widersprechen sie, eines fehlt darin',
    },
    answer: (_, { files }) => say(statementsAbout(files ?? { passages: [], remarks: [] })),
  },
  '/long': {
    example: '/long 20',
    does: {
      en: `about 20 KB of mixed Markdown, ${PACE} pieces a second; a second number is another pace`,
      de: `etwa 20 KB gemischtes Markdown, ${PACE} Stücke in der Sekunde; eine zweite Zahl ist ein anderes Tempo`,
    },
    answer: ([size, pace], { language }) => ({
      ...say(longText(language, within(size, { fallback: 20, most: 1_000 }))),
      chunksPerSecond: within(pace, { fallback: PACE, most: 1_000 }),
    }),
  },
};

/** Commands that test the product under failures. */
const TESTING: Record<string, Command> = {
  '/slow': {
    example: '/slow 30',
    does: {
      en: 'waits 30 seconds before the first word',
      de: 'wartet 30 Sekunden bis zum ersten Wort',
    },
    answer([seconds]) {
      const wait = within(seconds, { fallback: 30, most: 3_600 });
      return {
        ...say(`There you are: ${wait} seconds of silence, then this.`),
        waitMs: wait * 1000,
      };
    },
  },
  '/fail': {
    example: '/fail 429',
    does: {
      en: `fails with that HTTP status; or in another way:${breaksIn('en')}\n  - \`/fail context\`: the conversation counts as too long`,
      de: `scheitert mit diesem HTTP-Status; oder auf andere Weise:${breaksIn('de')}\n  - \`/fail context\`: die Unterhaltung gilt als zu lang`,
    },
    answer: ([how = '500']) => failing(how),
  },
};

const help = (language: Language): Command => ({
  example: language === 'de' ? '/hilfe' : '/help',
  does: { en: 'this list', de: 'diese Liste' },
  answer: (_, context) => say(helpText(language === 'de' ? 'de' : context.language)),
});

const COMMANDS = new Map(
  Object.entries({ ...SHOWING, ...TESTING, '/help': help('en'), '/hilfe': help('de') }),
);

/** The answer to a command of the demo model; undefined for any other message. */
export function commandAnswer(
  asked: string,
  context: { files: PromptFiles | null; language: Language },
): Answer | undefined {
  const [name = '', ...args] = asked.split(/\s+/);
  return COMMANDS.get(name)?.answer(args, context);
}

function breaksIn(language: Language): string {
  return Object.entries(BREAKS)
    .map(([name, what]) => `\n  - \`/fail ${name}\`: ${what[language]}`)
    .join('');
}

const HELP: Record<Language, { intro: string; tests: string; else: string }> = {
  en: {
    intro:
      'I am the demo model. The prompts on the home screen show the most; attach a file, and I answer from it. I also know:',
    tests: 'For those who test how a reply bears trouble:',
    else: 'Anything else I say back to you.',
  },
  de: {
    intro:
      'Ich bin das Demo-Modell. Am meisten zeigen die Vorschläge auf der Startseite; hängst du eine Datei an, antworte ich daraus. Außerdem kann ich:',
    tests: 'Zum Testen, was eine Antwort aushält:',
    else: 'Alles andere sage ich dir zurück.',
  },
};

function helpText(language: Language): string {
  const rows = (commands: readonly Command[]) =>
    commands.map(({ example, does }) => `- \`${example}\`: ${does[language]}`).join('\n');
  const { intro, tests, else: other } = HELP[language];
  const shown = rows([...Object.values(SHOWING), help(language)]);
  return [intro, shown, tests, rows(Object.values(TESTING)), other].join('\n\n');
}

function failing(how: string): Answer {
  const begun = say(`This answer breaks on purpose: \`/fail ${how}\`.\n\n${markdownText('en')}`);
  if (Object.hasOwn(BREAKS, how)) return { ...begun, breaks: how as Break };
  const message = `The demo model fails on purpose: /fail ${how}`;
  if (how === 'context') {
    return { ...begun, error: { status: 400, code: 'context_length_exceeded', message } };
  }
  const status = within(how, { fallback: 500, least: 400, most: 599 });
  return { ...begun, error: { status, code: ERROR_CODES[status] ?? 'server_error', message } };
}

function within(
  given: string | undefined,
  { fallback, least = 1, most }: { fallback: number; least?: number; most: number },
): number {
  const number = Number(given);
  return number >= least && number <= most ? number : fallback;
}
