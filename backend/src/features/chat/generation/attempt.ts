import type { ReplyError } from '../../../contract/errors.ts';
import type { FilesReceipt } from '../../../contract/messages.ts';
import {
  type ChatProvider,
  countPromptTokens,
  countTokens,
  type PromptMessage,
  ProviderError,
  type ProviderUsage,
} from '../../../llm/index.ts';
import type { Log } from '../../../log.ts';
import { withoutSourceLinks } from '../../files/index.ts';
import { startHeartbeat } from './heartbeat.ts';
import type { ReplyLog } from './log.ts';
import { type ReplyStore } from './model.ts';
import { deltasFrom, storedText } from './parts.ts';
import type { Prepared } from './prepare.ts';
import { type GeneratedReply, keptParts, type ReplyEnd } from './reply-record.ts';
import { DeltaWriter } from './writer.ts';

/** Why an attempt was ended from outside; the reason of its AbortSignal. */
export class AttemptAbortedError extends Error {
  override name = 'AttemptAbortedError';
  constructor(readonly why: 'stopped' | 'fenced' | 'draining') {
    super(`The attempt was ${why}.`);
  }
}

export interface AttemptDeps {
  replies: Pick<ReplyStore, 'checkpoint'>;
  replyLog: Pick<ReplyLog, 'append' | 'ping'>;
  provider: ChatProvider;
  now: () => Date;
  log: Log;
}

export interface AttemptInput {
  /** Builds the prompt; it runs while the attempt begins in the reply log. */
  prepare: () => Promise<Prepared>;
  /** Longest reply, in tokens. */
  maxTokens: number;
  /** Milliseconds between two deltas. */
  paceMs: () => number;
  /** Ends the attempt, with an AttemptAbortedError as its reason. */
  controller: AbortController;
}

/** How an attempt came out: after `fenced` a later attempt has the reply, after `released` it is to be queued again. */
export type Outcome = ReplyEnd | 'fenced' | 'released';

const INTERRUPTED: ReplyError = {
  code: 'interrupted',
  message: 'This reply was interrupted. The text so far is kept.',
};
const EMPTY: ReplyError = {
  code: 'provider_bad_response',
  message: 'The model sent an empty reply. Try again.',
};
const INTERNAL: ReplyError = {
  code: 'internal',
  message: 'Something went wrong while this reply was written. Try again.',
};

/** Streams a reply into its log, with checkpoints, until it ends or `controller` aborts it. */
export async function streamAttempt(
  reply: GeneratedReply,
  { prepare, maxTokens, paceMs, controller }: AttemptInput,
  deps: AttemptDeps,
): Promise<Outcome> {
  const { signal } = controller;
  const abort = (why: AttemptAbortedError['why']) => controller.abort(new AttemptAbortedError(why));
  const { id: replyId, conversationId, ownerId, attempt } = reply;
  const writer = new DeltaWriter({
    writer: { replyId, conversationId, ownerId, attempt },
    kept: keptParts(reply),
    log: deps.replyLog,
    paceMs,
    now: () => performance.now(),
    onFenced: () => abort('fenced'),
  });
  const heartbeat = startHeartbeat({ reply, writer, abort, deps });
  let sent: PromptMessage[] = [];
  const received: string[] = [];
  let reported: ProviderUsage | undefined;
  let filesReceipt: FilesReceipt[] | undefined;
  let failure: unknown;
  try {
    writer.start();
    const { messages, filter, ...given } = await prepare();
    filesReceipt = given.filesReceipt;
    signal.throwIfAborted();
    sent = messages;
    for await (const event of deps.provider.stream({ messages, signal, maxTokens })) {
      if (event.type === 'usage') {
        reported = usageOf(event);
        continue;
      }
      received.push(event.text);
      const isFiltered = filter && event.part === 'text';
      writer.push(event.part, isFiltered ? filter.push(event.text) : event.text);
    }
    // What is held back of a reply that ends early was never shown, and is not kept: the next attempt continues what was.
    if (filter) writer.push('text', filter.end());
  } catch (error) {
    failure = signal.aborted ? signal.reason : error;
  }
  await writer.close();
  heartbeat.stop();
  const written = deltasFrom(writer.parts, reply.keptLength).map(({ delta }) => delta);
  const isUncharged = written.length === 0 && failure instanceof ProviderError;
  const { model } = deps.provider;
  const usage = reported ?? { model, ...(isUncharged ? NO_USAGE : await estimate(sent, received)) };
  const charge = { attempt, ...usage };
  const { parts } = writer;
  const ended = { parts, charge, filesReceipt };
  return outcome({ failure, ended, hasText: written.length > 0, log: deps.log });
}

const NO_USAGE = { promptTokens: 0, completionTokens: 0 };

const usageOf = ({ type: _type, ...usage }: ProviderUsage & { type: 'usage' }): ProviderUsage =>
  usage;

/** For providers that do not report usage, and for replies that were cut off: the prompt counts once it was sent. */
async function estimate(sent: PromptMessage[], received: string[]) {
  return {
    promptTokens: sent.length === 0 ? 0 : await countPromptTokens(sent),
    completionTokens: await countTokens(received.join('')),
  };
}

interface Ended {
  failure: unknown;
  ended: Pick<ReplyEnd, 'parts' | 'charge' | 'filesReceipt'>;
  hasText: boolean;
  log: Log;
}

function outcome({ failure, ended, hasText, log }: Ended): Outcome {
  if (failure === undefined && (!hasText || storedText(ended.parts).content === ''))
    return { ...ended, status: 'failed', error: EMPTY };
  if (failure === undefined) return { ...ended, status: 'complete' };
  if (failure instanceof AttemptAbortedError) {
    if (failure.why === 'fenced') return 'fenced';
    if (failure.why === 'stopped') return { ...ended, status: 'stopped' };
    return hasText ? { ...ended, status: 'interrupted', error: INTERRUPTED } : 'released';
  }
  if (failure instanceof ProviderError) {
    const { code, message, cause } = failure;
    log.warn({ code, cause }, 'the model provider failed');
    return { ...ended, status: 'failed', error: { code, message } };
  }
  log.error({ err: failure }, 'an attempt failed');
  return { ...ended, status: 'failed', error: INTERNAL };
}

/**
 * The end of a reply whose worker was lost, with the text that was published. The lost attempt is charged: its prompt as
 * reserved, and what it wrote itself.
 */
export async function endOfLost(reply: GeneratedReply): Promise<ReplyEnd> {
  const { parts = [], keptLength, reserved, stopRequested } = reply;
  const written = deltasFrom(parts, keptLength).map(({ delta }) => delta);
  const charge = {
    attempt: reply.attempt - reply.lostAttempts,
    promptTokens: reserved?.promptTokens ?? 0,
    completionTokens: await countTokens(withoutSourceLinks(written.join(''))),
  };
  if (stopRequested) return { status: 'stopped', parts, charge };
  if (written.length > 0) return { status: 'interrupted', parts, charge, error: INTERRUPTED };
  const message = 'This reply failed several times before its first word. Try again.';
  return { status: 'failed', parts, charge, error: { code: 'worker_crashed', message } };
}
