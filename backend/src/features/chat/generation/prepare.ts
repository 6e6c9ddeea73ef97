import type { ReplyErrorCode } from '../../../contract/errors.ts';
import type { MessageMetadata, ReplyPart } from '../../../contract/messages.ts';
import type { PersonaRef } from '../../../contract/reply-settings.ts';
import { AppError } from '../../../errors.ts';
import {
  countPromptTokens,
  countTokens,
  type PromptMessage,
  TOKENS_PER_IMAGE,
} from '../../../llm/index.ts';
import type {
  FilesContext,
  NamedModel,
  Rephrasing,
  ReplyPath,
  ReplySettings,
} from '../../context.ts';
import { createMarkerFilter, type MarkerFilter } from '../../files/index.ts';
import { MIN_REPLY_TOKENS } from '../../usage/index.ts';
import {
  FILES_SHARE,
  type MessageRecord,
  type ReservedTokens,
  storedText,
  tokensOfCalls,
} from '../messages/index.ts';
import type { GenerationFeature, ReplyWorker } from './feature.ts';
import { FencedError } from './log.ts';
import {
  type BuiltPrompt,
  buildPrompt,
  type ContributedPart,
  contextReceipt,
  contributedParts,
  panelPart,
  panelPrompt,
  SYSTEM_PROMPT,
} from './prompt.ts';
import { callsLeft, type GeneratedReply, type ReplyCall, splitAt } from './reply-record.ts';

/** The prompt of an attempt, and the handling of the answer. */
export interface Prepared {
  messages: PromptMessage[];
  /** Resolves citations; absent when the conversation has no files. */
  filter?: MarkerFilter;
  /** The metadata of the reply so far. Counting tokens takes time: call it when no reader waits. */
  metadata: () => Promise<Partial<MessageMetadata>>;
  /** The persona as it was used; absent: the stored one. */
  persona?: PersonaRef | null;
  /** The model that answers; absent: the default. */
  model?: NamedModel;
}

interface PrepareInput {
  reply: GeneratedReply;
  call: ReplyCall;
  /** The text of the reply so far. */
  parts: readonly ReplyPart[];
  /** Down to the user message. */
  history: MessageRecord[];
  /** Of the attempt; its calls share it. Absent: files are searched for the question as it is. */
  rephrasing?: Rephrasing | undefined;
  signal: AbortSignal;
}

const fileIdsOf = ({ metadata }: MessageRecord): string[] =>
  (metadata?.files ?? []).flatMap(({ id }) => id ?? []);

/** Adds these files to the last message of the path. */
const withFiles = (path: ReplyPath['path'], fileIds: readonly string[]): ReplyPath['path'] =>
  path.map((message, at) =>
    at === path.length - 1 ? { ...message, fileIds: [...message.fileIds, ...fileIds] } : message,
  );

const tokensOf = (parts: readonly { tokens: number }[]): number =>
  parts.reduce((sum, { tokens }) => sum + tokens, 0);

/** The text of parts. The blank line that begins a part of a panel is not text to continue. */
function textOf(parts: readonly ReplyPart[]): string {
  const { content } = storedText(parts);
  return content.trim() === '' ? '' : content;
}

/** In a panel each call has the persona of its member, and the synthesis none. */
const settingsOf = (settings: ReplySettings, { panel, member }: ReplyCall): ReplySettings =>
  panel ? { ...settings, persona: member ?? null } : settings;

/** Maximum length of a prompt. */
const budgetOf = (
  { settings }: GeneratedReply,
  { contextTokens: max }: GenerationFeature['limits'],
): number => Math.min(max, settings.contextTokens ?? max);

/** Builds the prompt of a call. A path without files and a contributor without a contribution cost no query. */
export async function preparePrompt(
  {
    others: { files },
    contributors,
    limits,
  }: Pick<ReplyWorker, 'others' | 'contributors' | 'limits'>,
  { reply, call, parts, history, rephrasing, signal }: PrepareInput,
): Promise<Prepared> {
  const { id: replyId, ownerId, conversationId } = reply;
  const settings = settingsOf(reply.settings, call);
  const budgetTokens = budgetOf(reply, limits);
  const { earlier, own } = splitAt(parts, call);
  const begun = textOf(own);
  const path = history.map((message) => ({ ...message, fileIds: fileIdsOf(message) }));
  const input = { ownerId, conversationId, replyId, path, signal };
  const instructions = panelPrompt(call, { earlier, replyId });
  const contributing = Promise.all([
    contributedParts(contributors, { ...input, ...settings, budgetTokens }),
    panelPart(instructions, budgetTokens),
  ]).then((both) => both.flat());
  const ofFiles = async () => {
    const room = roomBeside(contributing, budgetTokens);
    room.catch(() => undefined);
    // Only a persona adds files besides those of the path.
    const contributed = settings.persona ? await contributing : [];
    const fileIds = contributed.flatMap((part) => part.fileIds ?? []);
    const asked = withFiles(path, fileIds);
    if (asked.every((message) => message.fileIds.length === 0)) return undefined;
    const share = FILES_SHARE[settings.depth];
    return files.contextOf({
      ...input,
      path: asked,
      budgetTokens: room,
      share,
      rephrasing,
    });
  };
  const [contributed, context] = await Promise.all([contributing, ofFiles()]);
  const built = await buildPrompt({ history, budgetTokens, contributed, context, begun });
  const persona = contributed.find((part) => part.persona !== undefined)?.persona;
  const model = contributed.find((part) => part.model)?.model;
  const before = textOf(earlier);
  return {
    messages: built.messages,
    ...(context && {
      filter: createMarkerFilter({ passages: context.passages, kept: begun, before }),
    }),
    metadata: () => metadataOf(built, { contributed, context, budgetTokens }),
    ...(persona !== undefined && { persona }),
    ...(model && { model }),
  };
}

/** The tokens left for files and history. */
const roomBeside = async (contributing: Promise<ContributedPart[]>, budgetTokens: number) =>
  Math.max(0, budgetTokens - (await countTokens(SYSTEM_PROMPT)) - tokensOf(await contributing));

async function metadataOf(
  { messages, history }: BuiltPrompt,
  {
    contributed,
    context,
    budgetTokens,
  }: { contributed: ContributedPart[]; context: FilesContext | undefined; budgetTokens: number },
): Promise<Partial<MessageMetadata>> {
  const receipt = contextReceipt({
    budgetTokens,
    tokens: await countPromptTokens(messages),
    systemTokens: await countTokens(SYSTEM_PROMPT),
    contributed,
    files: context && {
      tokens: (await countTokens(context.text)) + context.images.length * TOKENS_PER_IMAGE,
      isCut: context.receipt.some(({ given }) => given === 'passages'),
    },
    history,
  });
  return {
    ...(context && { filesReceipt: context.receipt }),
    ...Object.assign({}, ...contributed.map(({ metadata }) => metadata)),
    ...(receipt && { contextReceipt: receipt }),
  };
}

/** The reason for missing quota, as a sentence for the user. */
export interface Refused {
  refused: string;
  code: Extract<ReplyErrorCode, 'quota_exceeded' | 'interrupted'>;
}

/** Whether the remaining quota allows less than the depth. */
export const isShortened = (
  { limits }: Pick<GenerationFeature, 'limits'>,
  reply: GeneratedReply,
  { replyTokens }: ReservedTokens,
): boolean =>
  // The calls of a panel share the maximum length.
  replyTokens < limits.maxReplyTokens[reply.settings.depth] * callsLeft(reply).length;

/**
 * The quota of an attempt. A send reserves for the first attempt and for a continuing one, with an estimated prompt; when little quota was
 * left, the reply gets the tokens that the prompt does not use. An attempt after a lost or released one reserves here.
 * @param prepare builds the prompt of the first call
 * @throws FencedError when a later attempt has the reply
 */
export async function reserveAttempt(
  { replies, others: { usage }, limits }: Pick<GenerationFeature, 'replies' | 'others' | 'limits'>,
  reply: GeneratedReply,
  prepare: () => Promise<Prepared>,
): Promise<ReservedTokens | Refused> {
  const { id, conversationId, attempt, payer, reserved } = reply;
  if (reserved) {
    // A prompt that fails here will fail the attempt when it is sent.
    const used = await measure(limits, reply, prepare).catch(() => null);
    if (!used) return reserved;
    const left = reserved.promptTokens + reserved.replyTokens - used.promptTokens;
    const replyTokens = Math.min(used.replyTokens, Math.max(left, MIN_REPLY_TOKENS));
    return { ...reserved, replyTokens };
  }
  // Text to continue was published by an attempt that counted the message.
  const isCounted = reply.keptLength > 0;
  const request = { replyId: id, attempt, isCounted, ...(await measure(limits, reply, prepare)) };
  try {
    const made = await usage.reserve(payer, request);
    if (await replies.beginStream({ id, conversationId, attempt, reserved: made })) return made;
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return {
      refused: error.message,
      code: error.status === 402 ? 'quota_exceeded' : 'interrupted',
    };
  }
  throw new FencedError('A later attempt has this reply.');
}

/** The maximum number of tokens of an attempt, once its prompt is known. */
async function measure(
  limits: GenerationFeature['limits'],
  reply: GeneratedReply,
  prepare: () => Promise<Prepared>,
) {
  const sizes = {
    promptTokens: await countPromptTokens((await prepare()).messages),
    replyTokens: limits.maxReplyTokens[reply.settings.depth],
    contextTokens: budgetOf(reply, limits),
  };
  return tokensOfCalls(sizes, callsLeft(reply).length);
}
