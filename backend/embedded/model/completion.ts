import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './commands.ts';
import { type ChatBody, promptTokens, tokensOf, withinLength } from './request.ts';

/** About 50 characters, to the next space. Chunks together contain the whole text, and no character is cut. */
const PIECE = /[^]{1,56}(?=\s|$)|[^]{1,56}/gu;

type FinishReason = 'stop' | 'length' | 'content_filter';

/** Finish reasons of answers that are cut in the middle. */
const REASONS = { refuse: 'content_filter', length: 'length' } as const;
const isReason = (breaks: string): breaks is keyof typeof REASONS => Object.hasOwn(REASONS, breaks);

/** Sends `answer` in the form that `body` requests. Rejects when `signal` is aborted by a disconnecting client. */
export async function complete(
  response: ServerResponse,
  { body, answer, signal }: { body: ChatBody; answer: Answer; signal: AbortSignal },
): Promise<void> {
  if (answer.waitMs > 0) await delay(answer.waitMs, undefined, { signal });
  const { text, cut } = withinLength(body, answer.text);
  const sent = { ...answer, text };
  const finish = cut ? 'length' : 'stop';
  await (body.stream ? stream : whole)(response, { body, answer: sent, finish, signal });
}

interface Sending {
  body: ChatBody;
  answer: Answer;
  finish: FinishReason;
  signal: AbortSignal;
}

async function whole(response: ServerResponse, { body, answer, finish, signal }: Sending) {
  const { breaks, text } = answer;
  if (breaks && !isReason(breaks)) return breakOff(response, breaks, signal);
  const message = { role: 'assistant', content: text };
  const reason = breaks ? REASONS[breaks] : finish;
  const completion = {
    ...envelope(body, 'chat.completion'),
    choices: [{ index: 0, message, finish_reason: reason }],
    usage: usage(body, answer),
  };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(completion));
  return undefined;
}

async function stream(response: ServerResponse, { body, answer, finish, signal }: Sending) {
  const send = async (fields: object) => {
    const event = { ...envelope(body, 'chat.completion.chunk'), ...fields };
    if (!response.write(`data: ${JSON.stringify(event)}\n\n`))
      await once(response, 'drain', { signal });
  };
  const choice = (delta: object, finishReason: FinishReason | null = null) =>
    send({ choices: [{ index: 0, delta, finish_reason: finishReason }] });

  response.setHeader('content-type', 'text/event-stream; charset=utf-8');
  await choice({ role: 'assistant', content: '' });
  for (const piece of answer.reasoning?.match(PIECE) ?? []) {
    await choice({ reasoning_content: piece });
    await delay(1000 / answer.chunksPerSecond, undefined, { signal });
  }
  const pieces = answer.text.match(PIECE) ?? [];
  const last = lastPiece(answer, pieces.length);
  const startedAt = performance.now();
  for (const [index, content] of pieces.slice(0, last).entries()) {
    // Each chunk has its own due time, so that a late timer delays no later chunk.
    const due = startedAt + (index * 1000) / answer.chunksPerSecond;
    if (due > performance.now()) await delay(due - performance.now(), undefined, { signal });
    signal.throwIfAborted();
    await choice({ content });
  }
  const { breaks } = answer;
  if (breaks && !isReason(breaks)) return breakOff(response, breaks, signal);
  await choice({}, breaks ? REASONS[breaks] : finish);
  if (body.stream_options?.include_usage) await send({ choices: [], usage: usage(body, answer) });
  response.end('data: [DONE]\n\n');
  return undefined;
}

function lastPiece({ breaks }: Answer, pieces: number): number {
  if (!breaks) return pieces;
  return breaks === 'hang' ? 0 : Math.ceil(pieces / 2);
}

async function breakOff(
  response: ServerResponse,
  how: Exclude<Answer['breaks'], keyof typeof REASONS | undefined>,
  signal: AbortSignal,
) {
  if (how === 'hang' || how === 'stall') await forever(signal);
  if (how === 'json') response.end('data: {"choices":[{"index":0,"delta":{"cont\n\n');
  else if (how === 'end') response.end();
  else response.destroy();
}

async function forever(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  await once(signal, 'abort');
  throw signal.reason;
}

const envelope = ({ model }: ChatBody, object: string) => ({
  id: 'chatcmpl-stolas-demo',
  object,
  created: Math.floor(Date.now() / 1000),
  model,
});

function usage(body: ChatBody, { text, reasoning = '' }: Answer) {
  const prompt = promptTokens(body);
  const reasoned = body.stream ? tokensOf(reasoning) : 0;
  const completion = tokensOf(text) + reasoned;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    completion_tokens_details: { reasoning_tokens: reasoned },
  };
}
