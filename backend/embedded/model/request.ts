import * as z from 'zod';
import type { Asked } from './answer.ts';
import { languageOfMessages } from './language.ts';
import { filesIn } from './passages.ts';
import { panelIn, personaIn } from './persona.ts';
import type { StructuredPrompt } from './structured/prompt.ts';

const TextPart = z.object({ type: z.string(), text: z.string().default('') });

/** The used part of OpenAI's 'create chat completion'; other fields are allowed and ignored. */
export const ChatBody = z.object({
  model: z.string(),
  messages: z
    .array(
      z.object({
        role: z.string(),
        content: z.union([z.string(), z.array(TextPart)]).nullish(),
      }),
    )
    .min(1),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  reasoning_effort: z.enum(['low', 'medium', 'high']).nullish(),
  response_format: z
    .object({ type: z.string(), json_schema: z.object({ name: z.string() }).optional() })
    .nullish(),
});
export type ChatBody = z.infer<typeof ChatBody>;

type Message = ChatBody['messages'][number];

const isImage = (part: { type: string } | undefined) => part?.type === 'image_url';

/** The text of a message, without the labels of its images. */
function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return (content ?? [])
    .map(({ text }, at, parts) => (isImage(parts[at + 1]) ? '' : text))
    .join('');
}

const textsOf = (messages: readonly Message[], wanted: string): string[] =>
  messages.filter(({ role }) => role === wanted).map(textOf);

const imagesOf = ({ content }: Message): number =>
  typeof content === 'string' ? 0 : (content ?? []).filter(isImage).length;

/** The worker's request for the rest of a reply, after its beginning as the assistant's message. */
const GO_ON = /^Your last answer was cut off/;

export function askedIn({ messages, reasoning_effort: effort }: ChatBody): Asked {
  const isGoOn = (message: Message) => message.role === 'user' && GO_ON.test(textOf(message));
  const entries = messages.filter((message) => !isGoOn(message));
  const question = entries.findLast(({ role }) => role === 'user');
  const last = entries.at(-1);
  const system = textsOf(messages, 'system').join('\n');
  return {
    message: question ? textOf(question) : '',
    images: question ? imagesOf(question) : 0,
    memories: memoriesIn(system),
    files: filesIn(system),
    language: languageOfMessages(textsOf(entries, 'user')),
    reasons: effort === 'high',
    persona: personaIn(system),
    panel: panelIn(system),
    begun: last?.role === 'assistant' ? textOf(last) : '',
  };
}

/** The texts of a call for a structured answer, without the answer of an earlier attempt. */
export const structuredIn = ({ messages }: ChatBody): StructuredPrompt => ({
  system: textsOf(messages, 'system').join('\n\n'),
  user: textsOf(messages, 'user').join('\n\n'),
});

/** Characters per token in English by OpenAI's figures; the demo model has no tokenizer. */
const CHARACTERS_PER_TOKEN = 4;

export const tokensOf = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

export const promptTokens = ({ messages }: ChatBody): number =>
  messages.reduce((sum, message) => sum + tokensOf(textOf(message)), 0);

/** `text` up to the maximum length in the request. */
export function withinLength(body: ChatBody, text: string): { text: string; cut: boolean } {
  const tokens = body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY;
  const allowed = tokens * CHARACTERS_PER_TOKEN;
  return { text: text.slice(0, allowed), cut: text.length > allowed };
}

const MEMORY_BLOCK = /^=== ([0-9a-f]{16}) memories\n((?:(?!=== ).*\n)*)=== \1 end$/m;
const MEMORY = /^\[m:[0-9a-f]{24}\] (.+)$/gm;

/** The memories in a system message. */
const memoriesIn = (system: string): string[] =>
  Array.from(MEMORY_BLOCK.exec(system)?.[2]?.matchAll(MEMORY) ?? [], ([, text = '']) => text);
