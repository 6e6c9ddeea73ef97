import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createOpenAiJsonModel } from './openai-json.ts';

interface Body {
  messages: { role: string; content: string }[];
  [field: string]: unknown;
}
type Answer = { status?: number; headers?: Record<string, string>; body: unknown };

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that answers each call with the next of `answers`, and repeats the last one. */
async function serve(...answers: Answer[]) {
  const bodies: Body[] = [];
  const server = createServer((request, response) => {
    const answer = (body: unknown) => {
      bodies.push(body as Body);
      const given = answers[Math.min(bodies.length, answers.length) - 1];
      const headers = { 'content-type': 'application/json', ...given?.headers };
      response.writeHead(given?.status ?? 200, headers);
      response.end(JSON.stringify(given?.body));
    };
    json(request).then(answer, (error: Error) => response.destroy(error));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const model = createOpenAiJsonModel({
    baseUrl,
    apiKey: 'test-key',
    model: 'test-model',
    timeoutMs: 20_000,
  });
  const ask = (signal = new AbortController().signal, fields: { maxCalls?: 1 | 2 } = {}) =>
    model.answer({
      ...fields,
      name: 'owl',
      schema: Owl,
      messages: [{ role: 'user', content: 'Name an owl.' }],
      maxTokens: 100,
      signal,
    });
  return { bodies, ask, baseUrl };
}

const Owl = z.object({ name: z.string().max(10), grams: z.int().positive().nullable() });
const BARN = { name: 'Barn', grams: 360 };

const says = (content: unknown, fields: object = {}): Answer => ({
  body: {
    model: 'test-model-1',
    choices: [
      {
        message: {
          role: 'assistant',
          content: typeof content === 'string' ? content : JSON.stringify(content),
        },
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 20, completion_tokens: 7 },
    ...fields,
  },
});
const refuses = (message: string): Answer => ({ status: 400, body: { error: { message } } });
const used = (promptTokens: number, completionTokens: number) => ({
  promptTokens,
  cachedTokens: 0,
  completionTokens,
  reasoningTokens: 0,
  model: 'test-model-1',
});

describe('a structured answer of an OpenAI-compatible server', () => {
  it('is requested by a strict schema at temperature 0, and not to be stored', async () => {
    const { bodies, ask } = await serve(says(BARN));
    expect(await ask()).toEqual({ value: BARN, usage: used(20, 7), calls: 1 });
    expect(bodies).toEqual([
      {
        model: 'test-model',
        messages: [{ role: 'user', content: 'Name an owl.' }],
        max_tokens: 100,
        temperature: 0,
        store: false,
        response_format: {
          type: 'json_schema',
          json_schema: {
            name: 'owl',
            strict: true,
            schema: {
              type: 'object',
              properties: {
                name: { type: 'string' },
                grams: { type: ['integer', 'null'] },
              },
              required: ['name', 'grams'],
              additionalProperties: false,
            },
          },
        },
      },
    ]);
  });

  it('is requested as an object, then in the prompt alone, when the server refuses; it remembers that', async () => {
    const { bodies, ask } = await serve(
      refuses("Invalid parameter: 'response_format' of type 'json_schema' is not supported"),
      refuses('response_format.type json_object is unknown'),
      says(`Here it is:\n\`\`\`json\n${JSON.stringify(BARN)}\n\`\`\``),
    );
    expect((await ask()).value).toEqual(BARN);
    expect(bodies.map(({ response_format: format }) => (format as { type: string })?.type)).toEqual(
      ['json_schema', 'json_object', undefined],
    );
    expect(bodies[0]?.messages).toHaveLength(1);
    for (const { messages } of bodies.slice(1))
      expect(messages.at(-1)?.content).toContain('"additionalProperties":false');
    await ask();
    expect(bodies).toHaveLength(4);
    expect(bodies[3]).not.toHaveProperty('response_format');
  });

  it.each([
    ['temperature', "Unsupported value: 'temperature' does not support 0 with this model."],
    ['store', 'Extra inputs are not permitted: store'],
    ['max_tokens', "Use 'max_completion_tokens' instead of 'max_tokens'."],
  ])('is requested without %s when the server refuses only that', async (parameter, message) => {
    const { bodies, ask } = await serve(refuses(message), says(BARN));
    expect((await ask()).value).toEqual(BARN);
    expect(bodies[0]).toHaveProperty(parameter);
    expect(bodies[1]).not.toHaveProperty(parameter);
    expect(bodies[1]).toHaveProperty('response_format');
  });

  it.each([
    ['is no JSON', 'A barn owl'],
    ['misses a field', { name: 'Barn' }],
    ['breaks a limit that was not sent', { name: 'Barn owl of the barn', grams: 1 }],
  ])('is requested again once when it %s, and both calls count', async (_, wrong) => {
    const { bodies, ask } = await serve(says(wrong), says(BARN));
    expect(await ask()).toEqual({ value: BARN, usage: used(40, 14), calls: 2 });
    expect(bodies).toHaveLength(2);
    expect(bodies[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  it('fails with the usage when the second answer does not fit either', async () => {
    const { bodies, ask } = await serve(says('A secret owl'));
    const failed: unknown = await ask().catch((error: unknown) => error);
    expect(failed).toMatchObject({ name: 'StructuredAnswerError', usage: used(40, 14) });
    expect(String(failed)).not.toContain('secret');
    expect(bodies).toHaveLength(2);
  });

  it('is not requested again when the caller allows one call', async () => {
    const { bodies, ask } = await serve(says('A secret owl'));
    const { signal } = new AbortController();
    await expect(ask(signal, { maxCalls: 1 })).rejects.toMatchObject({ usage: used(20, 7) });
    expect(bodies).toHaveLength(1);
  });

  it('fails with the usage when the provider fails at the second attempt', async () => {
    const { ask } = await serve(says('no'), { status: 500, body: {} });
    await expect(ask()).rejects.toMatchObject({
      name: 'StructuredAnswerError',
      usage: used(20, 7),
    });
  });

  it('counts the tokens itself when the server does not', async () => {
    const { ask } = await serve(says(BARN, { usage: null }));
    const { usage } = await ask();
    expect(usage.promptTokens).toBeGreaterThan(5);
    expect(usage.completionTokens).toBeGreaterThan(5);
  });

  it.each([
    ['a failing server', { status: 500, body: {} }, 'provider_unavailable'],
    ['a busy server', { status: 429, body: {} }, 'provider_rate_limited'],
    ['a refusal for another reason', refuses('Something else'), 'provider_bad_response'],
    [
      'a refused answer',
      says(BARN, { choices: [{ message: { content: null, refusal: 'No.' } }] }),
      'provider_refused',
    ],
    ['an error in an answer', { body: { error: { message: 'x' } } }, 'provider_bad_response'],
    ['an empty answer', { body: null }, 'provider_bad_response'],
    ['an answer without an end', says('x'.repeat(2 ** 20)), 'provider_bad_response'],
  ])('fails with the error of the provider: %s', async (_, answer, code) => {
    const { ask, bodies } = await serve(answer);
    await expect(ask()).rejects.toMatchObject({ name: 'ProviderError', code });
    expect(bodies).toHaveLength(1);
  });

  it('is not requested from another server', async () => {
    const other = await serve(says(BARN));
    const headers = { location: `${other.baseUrl}/chat/completions` };
    const { ask } = await serve({ status: 307, headers, body: {} });
    await expect(ask()).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(other.bodies).toEqual([]);
  });

  it('ends with the reason of the signal', async () => {
    const { ask } = await serve(says(BARN));
    const reason = new Error('stopped');
    await expect(ask(AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
