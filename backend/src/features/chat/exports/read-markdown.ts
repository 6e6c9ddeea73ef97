import type { ExportedConversation, ExportedMessage } from '../../../contract/conversations.ts';
import {
  CONVERSATION_MARK,
  ConversationMark,
  MESSAGE_MARK,
  MessageMark,
  unescapeMarks,
} from './markdown-format.ts';
import { checkCount } from './read-json.ts';
import { refuse } from './refusals.ts';

type Branch = Pick<ExportedConversation, 'title' | 'messages' | 'createdAt'>;
type Entry = Omit<ExportedMessage, 'id' | 'parentId' | 'createdAt'> & { createdAt?: string };

/**
 * Reads a conversation from Markdown: our own export, or a text with headings that name the speaker, as other products write them.
 * @param now the date of messages without one
 * @throws AppError invalid_field
 */
export function readMarkdown(text: string, now: Date): Branch {
  const [whole, data] = CONVERSATION_MARK.exec(text) ?? [];
  if (whole === undefined) return readHeadings(text, now);
  const header = ConversationMark.safeParse(parse(data));
  if (!header.success)
    throw refuse('The first line of this file is not valid. Export the conversation again.');
  const { title, createdAt } = header.data;
  return { title, ...(createdAt && { createdAt }), messages: inOneBranch(readMarked(text), now) };
}

/** A message reaches from its mark to the next one. */
function readMarked(text: string): Entry[] {
  const marks = [...text.matchAll(MESSAGE_MARK)];
  checkCount(marks.length);
  return marks.map((found, n) => {
    const data = MessageMark.safeParse(parse(found[1]));
    if (!data.success)
      throw refuse(`The line before message ${n + 1} is not valid. Export the conversation again.`);
    const from = found.index + found[0].length + 1;
    return { ...data.data, content: contentOf(text.slice(from, marks[n + 1]?.index), data.data) };
  });
}

/** Without the heading and the file names, which the mark has too. */
function contentOf(section: string, { files }: MessageMark): string {
  const body = section.replace(/^## .*(?:\r?\n){1,2}/, '');
  const text = files?.length ? body.replace(/^Files: .*(?:\r?\n){1,2}/, '') : body;
  return unescapeMarks(text.replace(/\r?\n(?:\r?\n)?$/, ''));
}

const parse = (data = ''): unknown => {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
};

const USER = 'you|user|human|me';
const ASSISTANT = 'stolas|assistant|ai|bot|model|chatgpt|gpt|claude|gemini|copilot';
/** `## You`, `### ChatGPT said:` or `**User:**`, alone on their line. */
const SPEAKER = new RegExp(
  `^(?:#{1,6}[ \\t]+(?:\\*\\*)?(${USER}|${ASSISTANT})(?: said)?:?(?:\\*\\*)?:?|\\*\\*(${USER}|${ASSISTANT})(?: said)?(?::\\*\\*|\\*\\*:))[ \\t]*$`,
  'i',
);
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const TITLE = /^#[ \t](.+)$/;

/** The possible starts of a heading, a bold name or a fence. It rules out most lines quickly. */
const MAY_MEAN = /[ #*`~]/;

function readHeadings(text: string, now: Date): Branch {
  /** Each message with the ranges of its sections. */
  const entries: { role: Entry['role']; sections: { from: number; to: number }[] }[] = [];
  let title = '';
  let fence = '';
  for (const { line, from, next } of linesOf(text)) {
    if (!MAY_MEAN.test(text.charAt(from))) continue;
    const [, sign = ''] = FENCE.exec(line()) ?? [];
    if (sign !== '') fence = nextFence(fence, sign);
    const [, heading, bold] = fence === '' ? (SPEAKER.exec(line()) ?? []) : [];
    const name = heading ?? bold;
    const last = entries.at(-1);
    if (name === undefined) {
      if (!last) title ||= TITLE.exec(line())?.[1]?.trim() ?? '';
      continue;
    }
    const section = last?.sections.at(-1);
    if (section) section.to = from;
    const role = new RegExp(`^(?:${USER})$`, 'i').test(name) ? 'user' : 'assistant';
    const begun = { from: next, to: text.length };
    // Two sections of one speaker form one message.
    if (last?.role === role) last.sections.push(begun);
    else entries.push({ role, sections: [begun] });
  }
  if (entries.length === 0)
    throw refuse(
      'No conversation was found in this file. To ask about its text, attach it to a message.',
    );
  checkCount(entries.length);
  const filled = entries.map(({ role, sections }) => {
    const texts = sections.map(({ from, to }) => text.slice(from, to).replace(/\r\n/g, '\n'));
    return { role, content: texts.join('\n').trim() };
  });
  return { title, messages: inOneBranch(filled, now) };
}

/** The lines of a text as a generator, because a text may have millions. */
function* linesOf(text: string): Generator<{ line: () => string; from: number; next: number }> {
  for (let from = text.startsWith('\ufeff') ? 1 : 0; from < text.length; ) {
    const at = from;
    const end = text.indexOf('\n', at);
    const next = end === -1 ? text.length : end + 1;
    yield { line: () => text.slice(at, next).replace(/\r?\n$/, ''), from: at, next };
    from = next;
  }
}

const nextFence = (open: string, sign: string): string => {
  if (open === '') return sign;
  return sign.startsWith(open) ? '' : open;
};

function inOneBranch(entries: readonly Entry[], now: Date): ExportedMessage[] {
  return entries.map((entry, n) => ({
    createdAt: now.toISOString(),
    ...entry,
    id: String(n),
    parentId: n === 0 ? null : String(n - 1),
  }));
}
