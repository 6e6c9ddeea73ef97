import type { Actor } from '../../../access/index.ts';
import type { EstimateRepliesBody, ReplyEstimate } from '../../../contract/conversations.ts';
import { DEFAULT_DEPTH, type Depth } from '../../../contract/reply-settings.ts';
import { TOKENS_PER_IMAGE } from '../../../llm/index.ts';
import { noSuchPersona } from '../conversations/index.ts';
import type { ChatFeature } from '../feature.ts';
import type { ReservedTokens } from './record.ts';

// A reservation lasts until the real figures are known, so an estimate without a vocabulary is enough. English has four bytes to a token;
// Chinese, Japanese and Korean have three bytes to a character and about one token.
const BYTES_PER_TOKEN = 3;
/** The overhead of each message. */
const TOKENS_PER_MESSAGE = 4;
/** The system prompt and the overhead of a model. */
const TOKENS_PER_PROMPT = 200;

export interface TokenLimits {
  /** Maximum length of a prompt, in tokens. */
  contextTokens: number;
  /** Maximum length of a reply, in tokens. */
  maxReplyTokens: Record<Depth, number>;
}

/** The limits of all replies. */
interface ReplyLimits extends TokenLimits {
  /** Maximum length of a guest's prompt, when it is less. */
  guestContextTokens: number;
}

/** The limits of the actor's replies. */
export const limitsFor = (
  { isGuest }: Pick<Actor, 'isGuest'>,
  { contextTokens, guestContextTokens, maxReplyTokens }: ReplyLimits,
): TokenLimits => ({
  contextTokens: isGuest ? Math.min(contextTokens, guestContextTokens) : contextTokens,
  maxReplyTokens,
});

/** The share of a prompt for passages of files; a whole text may take half at any depth. */
export const FILES_SHARE: Record<Depth, number> = { fast: 1 / 4, balanced: 1 / 2, deep: 3 / 4 };

/** The maximum tokens of a part in a prompt, and its maximum share of the prompt. */
const PART_LIMITS = {
  persona: { tokens: 2_000, share: 1 / 4 },
  memory: { tokens: 800, share: 1 / 10 },
  files: { tokens: Number.POSITIVE_INFINITY, share: FILES_SHARE.deep },
  /** The earlier replies in the prompt of a panel's call. */
  panel: { tokens: 6_000, share: 1 / 4 },
};
export type PromptPart = keyof typeof PART_LIMITS;

/** The maximum tokens of a part in a prompt of `contextTokens`. */
export const maxPartTokens = (part: PromptPart, contextTokens: number): number =>
  Math.min(PART_LIMITS[part].tokens, Math.floor(contextTokens * PART_LIMITS[part].share));

/** The known size of a reply before its prompt is built. */
export interface ReplySize {
  /** UTF-8 bytes of the messages. */
  length: number;
  messages: number;
  /** The possible parts of the prompt besides the messages. */
  parts?: readonly PromptPart[];
  depth: Depth;
  /** A panel has several; each prompt contains the replies of earlier calls. */
  calls?: number;
}

/** The maximum tokens of an attempt, computed without a read: each part counts with its maximum size. */
export const estimateTokens = (
  { length, messages, parts = [], depth, calls = 1 }: ReplySize,
  { contextTokens, maxReplyTokens }: TokenLimits,
): ReservedTokens => {
  const added = parts.reduce((sum, part) => sum + maxPartTokens(part, contextTokens), 0);
  const promptTokens =
    TOKENS_PER_PROMPT + messages * TOKENS_PER_MESSAGE + Math.ceil(length / BYTES_PER_TOKEN) + added;
  const sizes = { promptTokens, replyTokens: maxReplyTokens[depth], contextTokens };
  return tokensOfCalls(sizes, calls);
};

/** The maximum tokens of `calls` calls, when the first one has a prompt of `promptTokens`. */
export function tokensOfCalls(
  {
    promptTokens,
    replyTokens,
    contextTokens,
  }: { promptTokens: number; replyTokens: number; contextTokens: number },
  calls: number,
): ReservedTokens {
  const prompts = Array.from({ length: calls }, (_, before) =>
    Math.min(
      contextTokens,
      promptTokens + Math.min(before * replyTokens, maxPartTokens('panel', contextTokens)),
    ),
  );
  return {
    promptTokens: prompts.reduce((sum, tokens) => sum + tokens, 0),
    replyTokens: calls * replyTokens,
  };
}

/**
 * Estimates the reservation of the same first message for each persona, at the default depth.
 * @throws AppError not_found for a persona that the actor does not have
 */
export function estimateReplies(
  { others: { personas }, limits: all }: Pick<ChatFeature, 'others' | 'limits'>,
  actor: Pick<Actor, 'userId' | 'isGuest'>,
  { content, personaIds }: EstimateRepliesBody,
): Promise<ReplyEstimate[]> {
  const limits = limitsFor(actor, all);
  return Promise.all(
    personaIds.map(async (id): Promise<ReplyEstimate> => {
      const persona = await personas.choose(actor.userId, id);
      if (!persona) throw noSuchPersona();
      const { promptBytes, files } = await persona.measure([content]);
      const length = Buffer.byteLength(content) + promptBytes + lengthOfFiles(files, limits);
      return estimateTokens({ length, messages: 1, depth: DEFAULT_DEPTH }, limits);
    }),
  );
}

/**
 * The bytes, as `estimateTokens` counts them, by which the files of a message lengthen every prompt with it. Their text is limited to its
 * part of a prompt.
 */
export function lengthOfFiles(
  { textBytes, images }: { textBytes: number | null; images: number },
  { contextTokens }: TokenLimits,
): number {
  const max = maxPartTokens('files', contextTokens) * BYTES_PER_TOKEN;
  return Math.min(max, textBytes ?? max) + images * TOKENS_PER_IMAGE * BYTES_PER_TOKEN;
}
