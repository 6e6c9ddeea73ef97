import type { ReplyError } from '../../../contract/errors.ts';
import {
  type ChatProvider,
  countPromptTokens,
  countTokens,
  type PromptMessage,
  ProviderError,
} from '../../../llm/index.ts';
import type { Log } from '../../../log.ts';
import type { ReplyRecord, TokenUsage } from '../messages/index.ts';
import type { ReplyLog } from './log.ts';
import type { ReplyEnd, ReplyStore } from './model.ts';
import { FrameWriter } from './writer.ts';

/** The text is written to the database this often while it grows; it also shows that the worker lives. */
const CHECKPOINT_MS = 2_000;

/** Why an attempt was ended from outside; the reason of its AbortSignal. */
export class AttemptAborted extends Error {
  override name = 'AttemptAborted';
  constructor(readonly why: 'stopped' | 'fenced' | 'draining') {
    super(`The attempt was ${why}.`);
  }
}

export interface AttemptDeps {
  replies: ReplyStore;
  replyLog: ReplyLog;
  provider: ChatProvider;
  maxTokens: number;
  now: () => Date;
  log: Log;
}

/** How an attempt came out: `fenced` and `released` leave the reply to another one. */
export type Outcome = ReplyEnd | 'fenced' | 'released';

const INTERRUPTED: ReplyError = {
  code: 'interrupted',
  message: 'This reply was interrupted. What was written so far is kept.',
};
const EMPTY: ReplyError = {
  code: 'provider_bad_response',
  message: 'The model sent an empty answer. Please try again.',
};
const INTERNAL: ReplyError = {
  code: 'internal',
  message: 'Something went wrong while this reply was written. Please try again.',
};

/** Streams one answer into the reply's log, with checkpoints, until it ends or `controller` aborts it. */
export async function streamAttempt(
  reply: ReplyRecord,
  { prompt, controller }: { prompt: PromptMessage[]; controller: AbortController },
  deps: AttemptDeps,
): Promise<Outcome> {
  const abort = (why: AttemptAborted['why']) => controller.abort(new AttemptAborted(why));
  const kept = reply.keepText ? reply.content : '';
  const writer = new FrameWriter({
    reply,
    kept,
    log: deps.replyLog,
    now: () => performance.now(),
    onFenced: () => abort('fenced'),
  });
  const stopCheckpoints = startCheckpoints(reply, { writer, abort, deps });
  let usage: TokenUsage | undefined;
  let failure: unknown;
  try {
    const request = { messages: prompt, signal: controller.signal, maxTokens: deps.maxTokens };
    for await (const event of deps.provider.stream(request)) {
      if (event.type === 'delta') writer.push(event.text);
      else usage = event;
    }
  } catch (error) {
    failure = controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    stopCheckpoints();
  }
  await writer.close();
  const written = writer.text.slice(kept.length);
  usage ??= written === '' ? noUsage() : estimate(prompt, written);
  return outcome({ failure, written, content: writer.text, usage, log: deps.log });
}

function startCheckpoints(
  { id, attempt }: ReplyRecord,
  {
    writer,
    abort,
    deps,
  }: { writer: FrameWriter; abort: (why: AttemptAborted['why']) => void; deps: AttemptDeps },
): () => void {
  const checkpoint = async () => {
    const content = writer.text;
    const stored = await deps.replies.checkpoint({ id, attempt, content, now: deps.now() });
    if (!stored) abort('fenced');
    else if (stored.stopRequested) abort('stopped');
  };
  const timer = setInterval(() => {
    checkpoint().catch((error: unknown) =>
      deps.log.warn({ err: error, replyId: id }, 'a checkpoint failed'),
    );
  }, CHECKPOINT_MS);
  return () => clearInterval(timer);
}

const noUsage = (): TokenUsage => ({ promptTokens: 0, completionTokens: 0 });

/** For providers that do not say what they charged, and for answers that were cut off. */
const estimate = (prompt: PromptMessage[], written: string): TokenUsage => ({
  promptTokens: countPromptTokens(prompt),
  completionTokens: countTokens(written),
});

interface Ended {
  failure: unknown;
  written: string;
  content: string;
  usage: TokenUsage;
  log: Log;
}

function outcome({ failure, written, content, usage, log }: Ended): Outcome {
  if (failure === undefined && written === '')
    return { status: 'failed', content, usage, error: EMPTY };
  if (failure === undefined) return { status: 'complete', content, usage };
  if (failure instanceof AttemptAborted) {
    if (failure.why === 'fenced') return 'fenced';
    if (failure.why === 'stopped') return { status: 'stopped', content, usage };
    return content === ''
      ? 'released'
      : { status: 'interrupted', content, usage, error: INTERRUPTED };
  }
  if (failure instanceof ProviderError) {
    const { code, message } = failure;
    return { status: 'failed', content, usage, error: { code, message } };
  }
  log.error({ err: failure }, 'an attempt failed');
  return { status: 'failed', content, usage, error: INTERNAL };
}

/** The end of a reply whose worker was lost, with the text that people have seen; that text is what is charged. */
export function lostWorker({
  content,
  stopRequested,
}: {
  content: string;
  stopRequested: boolean;
}): ReplyEnd {
  const usage = { promptTokens: 0, completionTokens: content === '' ? 0 : countTokens(content) };
  if (stopRequested) return { status: 'stopped', content, usage };
  if (content !== '') return { status: 'interrupted', content, usage, error: INTERRUPTED };
  const message = 'This reply failed several times before its first word. Please try again.';
  return { status: 'failed', content, usage, error: { code: 'worker_crashed', message } };
}
