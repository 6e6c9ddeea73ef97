import { answerFrom, type PromptFiles, statementsAbout } from './passages.ts';
import { introduction, type PromptPanel, type PromptPersona } from './persona.ts';
import {
  codeText,
  echoText,
  longText,
  markdownText,
  reasoningText,
  stepsText,
  synthesisText,
  tableText,
  thoughtText,
} from './texts.ts';
import { tourAnswer } from './tour.ts';

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
const BREAKS: Record<Break, string> = {
  hang: 'not one word comes',
  stall: 'the answer stops in the middle and the connection stays open',
  cut: 'the connection is cut in the middle',
  end: 'the answer ends early and without an ending',
  json: 'a broken piece arrives in the middle',
  refuse: 'the rest is withheld by a content filter',
  length: 'the answer reaches its length limit in the middle',
};

const ERROR_CODES: Record<number, string> = {
  401: 'invalid_api_key',
  404: 'model_not_found',
  429: 'rate_limit_exceeded',
};

const say = (text: string): Answer => ({ text, waitMs: 0, chunksPerSecond: PACE });

interface Command {
  example: string;
  does: string;
  answer(args: string[], files: PromptFiles | null): Answer;
}

const COMMANDS = new Map<string, Command>(
  Object.entries({
    '/markdown': {
      example: '/markdown',
      does: 'everything that Markdown has, once',
      answer: () => say(markdownText()),
    },
    '/table': { example: '/table', does: 'a table', answer: () => say(tableText()) },
    '/code': { example: '/code', does: 'code in two languages', answer: () => say(codeText()) },
    '/long': {
      example: '/long 20',
      does: `about 20 KB of mixed Markdown, ${PACE} pieces a second; a second number is another pace`,
      answer: ([size, pace]) => ({
        ...say(longText(within(size, { fallback: 20, most: 1_000 }))),
        chunksPerSecond: within(pace, { fallback: PACE, most: 1_000 }),
      }),
    },
    '/slow': {
      example: '/slow 30',
      does: 'waits 30 seconds before the first word',
      answer([seconds]) {
        const wait = within(seconds, { fallback: 30, most: 3_600 });
        return {
          ...say(`There you are: ${wait} seconds of silence, then this.`),
          waitMs: wait * 1000,
        };
      },
    },
    '/think': {
      example: '/think',
      does: 'shows its reasoning before it answers',
      answer: () => ({ ...say(thoughtText()), reasoning: reasoningText() }),
    },
    '/claims': {
      example: '/claims',
      does: 'states three things about the files of the conversation, of which they support one, contradict one and lack one',
      answer: (_, files) => say(statementsAbout(files ?? { passages: [], remarks: [] })),
    },
    '/fail': {
      example: '/fail 429',
      does: `fails with that HTTP status; or in another way:\n${Object.entries(BREAKS)
        .map(([name, what]) => `  - \`/fail ${name}\`: ${what}`)
        .join('\n')}\n  - \`/fail context\`: the conversation counts as too long`,
      answer: ([how = '500']) => failing(how),
    },
    '/help': { example: '/help', does: 'this list', answer: () => say(helpText()) },
  }),
);

function helpText(): string {
  const rows = Array.from(COMMANDS.values(), ({ example, does }) => `- \`${example}\`: ${does}`);
  return `I am the demo model, and these are the things that I know:\n\n${rows.join('\n')}\n\nAnything else I say back to you.`;
}

function failing(how: string): Answer {
  const begun = say(`This answer breaks on purpose: \`/fail ${how}\`.\n\n${markdownText()}`);
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

export interface Asked {
  /** The user's last message. */
  message: string;
  /** The number of attached images. */
  images: number;
  /** The files in the prompt; null without any. */
  files: PromptFiles | null;
  /** The user's memories in the prompt. */
  memories?: readonly string[] | undefined;
  /** Whether to show the steps to the answer. */
  reasons?: boolean;
  /** The persona in the prompt; null without one. */
  persona: PromptPersona | null;
  /** The panel that the answer is a part of. */
  panel?: PromptPanel | null;
  /** The beginning of the answer to continue. */
  begun: string;
}

/** The answer of the demo model. The same prompt gets the same text; only a first attempt fails on request. */
export function answerTo({
  message,
  images,
  files,
  memories,
  persona,
  panel,
  reasons,
  begun,
}: Asked): Answer {
  const asked = message.trim();
  const [name = '', ...args] = asked.split(/\s+/);
  const special = COMMANDS.get(name)?.answer(args, files);
  const answer = panel?.isClosed
    ? say(synthesisText(panel.names, asked))
    : ((panel && special && persona ? introduced(special, persona) : special) ?? {
        ...say(textFor({ asked, images, files, memories, persona })),
        ...(reasons && { reasoning: stepsText({ asked, passages: files?.passages.length ?? 0 }) }),
      });
  if (!begun || !answer.text.startsWith(begun)) return answer;
  const { breaks: _breaks, error: _error, reasoning: _reasoning, ...whole } = answer;
  return { ...whole, text: answer.text.slice(begun.length) };
}

/** In a panel, so that the answers of the members differ. */
const introduced = (answer: Answer, persona: PromptPersona): Answer => ({
  ...answer,
  text: `${introduction(persona)}\n\n${answer.text}`,
});

function textFor({
  asked,
  images,
  files,
  memories = [],
  persona,
}: { asked: string } & Pick<Asked, 'images' | 'files' | 'memories' | 'persona'>) {
  const introduced = persona ? `${introduction(persona)}\n\n` : '';
  const unseen = images > 0 ? 'I cannot see images: the demo model only reads text.\n\n' : '';
  const remembered = memories.map((text) => `- ${text}`).join('\n');
  const known = remembered && `I remember of you:\n\n${remembered}\n\n`;
  const answer = tourAnswer(asked, files) ?? (files && answerFrom(files, asked)) ?? echoText(asked);
  return introduced + unseen + known + answer;
}
