import type { Actor } from '../../../access/index.ts';
import type { EstimateRepliesBody, ReplyEstimate } from '../../../contract/conversations.ts';
import { DEFAULT_DEPTH, type Depth } from '../../../contract/reply-settings.ts';
import { TOKENS_PER_IMAGE } from '../../../llm/index.ts';
import type { ReservedTokens } from './model.ts';
import { type ChosenPersona, noSuchPersona, type PersonaChoice } from './persona-choice.ts';

// A reservation lasts until the real figures are known, so an estimate is enough, and it needs no vocabulary.
// English has four bytes to a token; Chinese, Japanese and Korean have three bytes to a character and about one token.
const BYTES_PER_TOKEN = 3;
/** What each message costs besides its text. */
const TOKENS_PER_MESSAGE = 4;
/** The system prompt and what a model adds. */
const TOKENS_PER_PROMPT = 200;

export interface TokenLimits {
  /** Longest prompt, in tokens. */
  contextTokens: number;
  /** Longest reply, in tokens. */
  maxReplyTokens: Record<Depth, number>;
}

/** The limits of all replies. */
export interface ReplyLimits extends TokenLimits {
  /** Longest prompt of a guest's, when it is less. */
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

/**
 * What an attempt may use at most: a prompt of so many UTF-8 bytes and messages, and a reply of that depth; in a panel, for each
 * call, whose prompt has the replies of the calls before it.
 */
export const estimateTokens = (
  {
    length,
    messages,
    depth,
    calls = 1,
  }: { length: number; messages: number; depth: Depth; calls?: number },
  { contextTokens, maxReplyTokens }: TokenLimits,
): ReservedTokens => {
  const promptTokens =
    TOKENS_PER_PROMPT + messages * TOKENS_PER_MESSAGE + Math.ceil(length / BYTES_PER_TOKEN);
  const sizes = { promptTokens, replyTokens: maxReplyTokens[depth], contextTokens };
  return tokensOfCalls(sizes, calls);
};

/** Most tokens of what a call of a panel is told, of which the answers before it are nearly all. */
export const mostOfPanel = (contextTokens: number): number =>
  Math.min(6_000, Math.floor(contextTokens / 4));

/** What so many calls use at most, when the first one has a prompt of `promptTokens`. */
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
      promptTokens + Math.min(before * replyTokens, mostOfPanel(contextTokens)),
    ),
  );
  return {
    promptTokens: prompts.reduce((sum, tokens) => sum + tokens, 0),
    replyTokens: calls * replyTokens,
  };
}

interface EstimateDeps {
  personas: PersonaChoice;
  limits: ReplyLimits;
}

/**
 * Estimates what the same first message would reserve as each persona, at the default depth.
 * @throws AppError not_found for a persona that the actor does not have
 */
export const createReplyEstimates =
  ({ personas, limits: all }: EstimateDeps) =>
  (actor: Pick<Actor, 'userId' | 'isGuest'>, { content, personaIds }: EstimateRepliesBody) => {
    const limits = limitsFor(actor, all);
    return Promise.all(
      personaIds.map(async (id): Promise<ReplyEstimate> => {
        const persona = await personas.choose(actor.userId, id);
        if (!persona) throw noSuchPersona();
        const added = await lengthOfPersona(persona, async () => [content], limits);
        const length = Buffer.byteLength(content) + added;
        return estimateTokens({ length, messages: 1, depth: DEFAULT_DEPTH }, limits);
      }),
    );
  };

/**
 * How much longer the files of a message make every prompt that holds it, in bytes as `estimateTokens` counts them. Their text
 * takes at most half of a prompt.
 */
export function lengthOfFiles(
  { textBytes, images }: { textBytes: number | null; images: number },
  { contextTokens }: TokenLimits,
): number {
  const most = Math.floor(contextTokens / 2) * BYTES_PER_TOKEN;
  return Math.min(most, textBytes ?? most) + images * TOKENS_PER_IMAGE * BYTES_PER_TOKEN;
}

/**
 * How much longer a persona makes every prompt, in bytes as `estimateTokens` counts them: by its instructions and the files of its knowledge.
 * @param readLast reads the last messages of the path; called only for a persona that has such files
 */
export async function lengthOfPersona(
  { promptBytes, filesFor }: Pick<ChosenPersona, 'promptBytes' | 'filesFor'>,
  readLast: () => Promise<string[]>,
  limits: TokenLimits,
): Promise<number> {
  if (!filesFor) return promptBytes;
  const files = await filesFor(await readLast());
  return promptBytes + (files ? lengthOfFiles(files, limits) : 0);
}
