import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Agent, getGlobalDispatcher, request, setGlobalDispatcher } from 'undici';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createOpenAiProvider, type OpenAiOptions } from './openai.ts';
import type { ChatEvent, PromptImage, ProviderError } from './port.ts';

// Behaviour of real servers that the fake lacks: each test writes the bytes on the wire.

type Handler = (response: ServerResponse) => void;

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that answers each call with the next of `handlers`, and repeats the last one. */
async function serve(...handlers: Handler[]) {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    const answer = (body: unknown) => {
      bodies.push(body as Record<string, unknown>);
      handlers[Math.min(bodies.length, handlers.length) - 1]?.(response);
    };
    json(request).then(answer, (error: Error) => response.destroy(error));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { bodies, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

const event = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`;
const delta = (content: string) => event({ choices: [{ index: 0, delta: { content } }] });
const finish = (reason: string) => event({ choices: [{ delta: {}, finish_reason: reason }] });
const DONE = 'data: [DONE]\n\n';

const streams =
  (...lines: string[]): Handler =>
  (response) => {
    response.setHeader('content-type', 'text/event-stream');
    response.end(lines.join(''));
  };
const fails =
  (status: number, error: object, headers: Record<string, string> = {}): Handler =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error }));
  };

const endlessError: Handler = (response) => {
  response.writeHead(500, { 'content-type': 'application/json' });
  const more = () => void (response.destroyed || response.write('x'.repeat(65_536), more));
  more();
};

async function ask(
  baseUrl: string,
  { images, ...options }: Partial<OpenAiOptions> & { images?: PromptImage[] } = {},
) {
  const pauses: number[] = [];
  const provider = createOpenAiProvider({
    baseUrl,
    apiKey: 'test-key',
    model: 'test-model',
    idleMs: 20_000,
    sleep: async (ms) => pauses.push(ms),
    ...options,
  });
  const request = {
    messages: [{ role: 'user' as const, content: 'Hello', ...(images && { images }) }],
    signal: new AbortController().signal,
    maxTokens: 100,
  };
  const again = async () => {
    const events: ChatEvent[] = [];
    let error: unknown;
    try {
      for await (const item of provider.stream(request)) events.push(item);
    } catch (thrown) {
      error = thrown;
    }
    const text = events
      .map((item) => (item.type === 'delta' && item.part === 'text' ? item.text : ''))
      .join('');
    return { events, text, error, pauses };
  };
  return { ...(await again()), again };
}

describe('a request to an OpenAI-compatible server', () => {
  it('has the form that most servers accept', async () => {
    const { bodies, baseUrl } = await serve(streams(delta('Hi'), finish('stop'), DONE));
    await ask(baseUrl);
    expect(bodies[0]).toEqual({
      model: 'test-model',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      max_tokens: 100,
      stream_options: { include_usage: true },
      store: false,
    });
  });

  it('carries images in the message, each behind its name', async () => {
    const { bodies, baseUrl } = await serve(streams(delta('Hi'), finish('stop'), DONE));
    const images = [{ name: 'a "cat".png', type: 'image/png', bytes: Buffer.from('picture') }];
    await ask(baseUrl, { images });
    expect(bodies[0]?.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hello' },
          { type: 'text', text: 'Image "a \\"cat\\".png":' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,cGljdHVyZQ==' } },
        ],
      },
    ]);
  });

  it('is repeated once with max_completion_tokens for a model that requires it', async () => {
    const { bodies, baseUrl } = await serve(
      fails(400, {
        message:
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        param: 'max_tokens',
        code: 'unsupported_parameter',
      }),
      streams(delta('Hi'), finish('stop'), DONE),
    );
    const { text, pauses, again } = await ask(baseUrl);
    expect(text).toBe('Hi');
    expect(pauses).toEqual([]);
    await again();
    expect(bodies).toHaveLength(3);
    expect(bodies[2]).toMatchObject({ max_completion_tokens: 100 });
    expect(bodies[2]).not.toHaveProperty('max_tokens');
  });

  it('is repeated without the request for usage when the server refuses that', async () => {
    const { bodies, baseUrl } = await serve(
      fails(422, { message: 'Extra inputs are not permitted: stream_options' }),
      streams(delta('Hi'), finish('stop'), DONE),
    );
    expect((await ask(baseUrl)).events).toEqual([{ type: 'delta', part: 'text', text: 'Hi' }]);
    expect(bodies[1]).not.toHaveProperty('stream_options');
    expect(bodies[1]).toHaveProperty('max_tokens');
  });

  it.each([
    ['names it', { error: { message: 'Unrecognized request argument supplied: store' } }],
    ['names nothing', { detail: [{ loc: ['body', 'store'], msg: 'Extra inputs' }] }],
  ])('is repeated without store: false when the refusal %s', async (_, body) => {
    const { bodies, baseUrl } = await serve(
      (response) => {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      },
      streams(delta('Hi'), finish('stop'), DONE),
    );
    const { text, again } = await ask(baseUrl);
    expect(text).toBe('Hi');
    await again();
    expect(bodies).toHaveLength(3);
    expect(bodies[0]).toHaveProperty('store', false);
    expect(bodies[2]).not.toHaveProperty('store');
    expect(bodies[2]).toHaveProperty('stream_options');
  });

  it('fails when the server refuses every form', async () => {
    const { bodies, baseUrl } = await serve(
      fails(400, { message: 'No max_completion_tokens, no stream_options, no store, nothing.' }),
    );
    expect((await ask(baseUrl)).error).toMatchObject({ code: 'provider_bad_response' });
    expect(bodies).toHaveLength(4);
  });
});

describe('an answer', () => {
  it.each(['stop', 'length', 'tool_calls'])('is whole when it ends with %s', async (reason) => {
    const { baseUrl } = await serve(streams(delta('Hi'), finish(reason), DONE));
    expect(await ask(baseUrl)).toMatchObject({ text: 'Hi', error: undefined });
  });

  it('reports that it reached its maximum length, before its usage', async () => {
    const usage = event({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 1 } });
    const { baseUrl } = await serve(streams(delta('Hi'), finish('length'), usage, DONE));
    const provider = createOpenAiProvider({ baseUrl, apiKey: 'k', model: 'test', idleMs: 20_000 });
    const types: string[] = [];
    const request = { messages: [{ role: 'user' as const, content: 'Hello' }], maxTokens: 1 };
    const { signal } = new AbortController();
    for await (const { type } of provider.stream({ ...request, signal })) types.push(type);
    expect(types).toEqual(['delta', 'cut', 'usage']);
  });

  it('is complete even when the connection breaks after its end', async () => {
    const { baseUrl } = await serve((response) => {
      response.write(delta('Hi') + finish('stop'), () => response.destroy());
    });
    expect(await ask(baseUrl)).toMatchObject({ text: 'Hi', error: undefined });
  });

  it('is complete when nothing follows its end', async () => {
    const { baseUrl } = await serve(
      (response) => void response.write(delta('Hi') + finish('stop')),
    );
    expect(await ask(baseUrl, { idleMs: 200 })).toMatchObject({ text: 'Hi', error: undefined });
  });

  it.each([
    ['empty chunks', event({ choices: [] })],
    ['chunks without text', event({ choices: [{ delta: { tool_calls: [{}] } }] })],
    ['other finish reasons', finish('length') + finish('stop')],
  ])('is complete when nothing but %s follows its end', async (_, chunks) => {
    const { baseUrl } = await serve((response) => {
      response.write(delta('Hi') + finish('stop'));
      const endless = setInterval(() => response.write(chunks), 20);
      response.on('close', () => clearInterval(endless));
    });
    expect(await ask(baseUrl, { idleMs: 200 })).toMatchObject({ text: 'Hi', error: undefined });
  });

  it('carries the last usage figures of a server that repeats them', async () => {
    const usage = (completion: number) =>
      event({ choices: [], usage: { prompt_tokens: 3, completion_tokens: completion } });
    const { baseUrl } = await serve(
      streams(delta('Hi'), usage(1), delta(' you'), usage(2), finish('stop'), usage(5), DONE),
    );
    const { events } = await ask(baseUrl);
    expect(events).toEqual([
      { type: 'delta', part: 'text', text: 'Hi' },
      { type: 'delta', part: 'text', text: ' you' },
      {
        type: 'usage',
        promptTokens: 3,
        cachedTokens: 0,
        completionTokens: 5,
        reasoningTokens: 0,
        model: 'test-model',
      },
    ]);
  });

  it('carries the shares that were cached and reasoning, and the exact name of the model', async () => {
    const usage = (cached: number) => ({
      prompt_tokens: 30,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens: 9,
      completion_tokens_details: { reasoning_tokens: 4 },
    });
    const answer = (cached: number) =>
      streams(
        delta('Hi'),
        finish('stop'),
        event({ model: 'test-model-2026-11', choices: [], usage: usage(cached) }),
        DONE,
      );
    const { baseUrl } = await serve(answer(20), answer(31));
    expect((await ask(baseUrl)).events.at(-1)).toEqual({
      type: 'usage',
      promptTokens: 30,
      cachedTokens: 20,
      completionTokens: 9,
      reasoningTokens: 4,
      model: 'test-model-2026-11',
    });
    // A share cannot exceed the whole.
    expect((await ask(baseUrl)).events.at(-1)).toMatchObject({ cachedTokens: 30 });
  });

  it('carries the beginning of a long name of the model', async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 1 };
    const last = event({ model: 'm'.repeat(100_000), choices: [], usage });
    const { baseUrl } = await serve(streams(delta('Hi'), finish('stop'), last, DONE));
    expect((await ask(baseUrl)).events.at(-1)).toMatchObject({ model: 'm'.repeat(100) });
  });

  it.each([
    ['are no counts', { prompt_tokens: -3, completion_tokens: 'many' }],
    // Some servers send zeros for what they do not count, or an unsigned -1.
    ['have no prompt', { prompt_tokens: 0, completion_tokens: 0 }],
    ['no model can have', { prompt_tokens: 3, completion_tokens: 2 ** 32 - 1 }],
  ])('ignores usage figures that %s', async (_, usage) => {
    const { baseUrl } = await serve(
      streams(delta('Hi'), finish('stop'), event({ choices: [], usage }), DONE),
    );
    expect((await ask(baseUrl)).events).toEqual([{ type: 'delta', part: 'text', text: 'Hi' }]);
  });

  it('leaves out comments and empty chunks', async () => {
    const { baseUrl } = await serve(
      streams(
        ': PROCESSING\n\n',
        'data: null\n\n',
        event({}),
        event({ choices: [{ delta: null }] }),
        delta('Hi'),
        finish('stop'),
        DONE,
      ),
    );
    expect((await ask(baseUrl)).events).toEqual([{ type: 'delta', part: 'text', text: 'Hi' }]);
  });

  it.each(['reasoning_content', 'reasoning'])(
    'yields %s as reasoning, before text',
    async (name) => {
      const { baseUrl } = await serve(
        streams(
          event({ choices: [{ delta: { [name]: 'Hm …' } }] }),
          event({ choices: [{ delta: { content: 'Hi', [name]: ' yes.' } }] }),
          finish('stop'),
          DONE,
        ),
      );
      expect((await ask(baseUrl)).events).toEqual([
        { type: 'delta', part: 'reasoning', text: 'Hm …' },
        { type: 'delta', part: 'reasoning', text: ' yes.' },
        { type: 'delta', part: 'text', text: 'Hi' },
      ]);
    },
  );

  it('may reason for longer than the idle time while reasoning arrives', async () => {
    const thought = event({ choices: [{ delta: { reasoning_content: 'Hm …' } }] });
    const { baseUrl } = await serve((response) => {
      const thinking = setInterval(() => response.write(thought), 100);
      setTimeout(() => {
        clearInterval(thinking);
        response.end(delta('Hi') + finish('stop') + DONE);
      }, 1_300);
    });
    expect(await ask(baseUrl, { idleMs: 1_000 })).toMatchObject({ text: 'Hi', pauses: [] });
  });

  it('times out when only keep-alive chunks arrive', async () => {
    const { baseUrl } = await serve((response) => {
      const alive = setInterval(() => {
        response.write(`: PROCESSING\n\n${event({ choices: [{ delta: { role: 'assistant' } }] })}`);
      }, 20);
      response.on('close', () => clearInterval(alive));
    });
    const { error } = await ask(baseUrl, { idleMs: 200, maxRetries: 0 });
    expect(error).toMatchObject({ code: 'provider_timeout' });
  });

  it.each(['', 'Hi'])(
    'times out when chunks without text arrive without end, after "%s"',
    async (text) => {
      const hidden = event({ choices: [{ delta: { tool_calls: [{ index: 0 }] } }] });
      const { baseUrl } = await serve((response) => {
        response.write(delta(text));
        const endless = setInterval(() => response.write(hidden), 10);
        response.on('close', () => clearInterval(endless));
      });
      const asked = await ask(baseUrl, { idleMs: 100, maxRetries: 0 });
      expect(asked).toMatchObject({ text, error: { code: 'provider_timeout' } });
    },
  );

  it('may make progress without text for longer than the idle time', async () => {
    const hidden = event({ choices: [{ delta: { reasoning_details: [{ data: 'x' }] } }] });
    const { baseUrl } = await serve((response) => {
      const thinking = setInterval(() => response.write(hidden), 100);
      setTimeout(() => {
        clearInterval(thinking);
        response.end(delta('Hi') + finish('stop') + DONE);
      }, 1_300);
    });
    expect(await ask(baseUrl, { idleMs: 1_000 })).toMatchObject({ text: 'Hi', pauses: [] });
  });

  it('may be silent for longer than the HTTP client waits for any other', async () => {
    const former = getGlobalDispatcher();
    setGlobalDispatcher(new Agent({ headersTimeout: 100, bodyTimeout: 100 }));
    closers.push(() => setGlobalDispatcher(former));
    let answer: ServerResponse | undefined;
    const { baseUrl } = await serve(
      (response) => {
        answer = response;
      },
      () => undefined,
      (response) => void response.write(delta('Hi')),
    );
    const asking = ask(baseUrl, { maxRetries: 0 });
    await expect.poll(() => answer).toBeDefined();
    const other = async (options: { headersTimeout?: number } = {}) =>
      (await request(baseUrl, { method: 'POST', body: '{}', ...options })).body.text();
    await expect(other()).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
    answer?.write(delta('Hi'));
    await expect(other({ headersTimeout: 0 })).rejects.toMatchObject({
      code: 'UND_ERR_BODY_TIMEOUT',
    });
    answer?.end(delta(' you') + finish('stop') + DONE);
    expect(await asking).toMatchObject({ text: 'Hi you', error: undefined });
  });

  it('does not time out while its reader is slow', async () => {
    const { baseUrl } = await serve(streams(delta('Hi'), delta(' you'), finish('stop'), DONE));
    const provider = createOpenAiProvider({ baseUrl, apiKey: 'k', model: 'm', idleMs: 100 });
    const { signal } = new AbortController();
    let idled = false;
    for await (const _ of provider.stream({ messages: [], signal, maxTokens: 9 })) {
      const until = Date.now() + 250;
      await vi.waitUntil(() => Date.now() > until);
      idled = true;
    }
    expect(idled).toBe(true);
  });
});

describe('a failure', () => {
  const ERRORS: [string, Handler, string, number][] = [
    [
      'no credit left',
      fails(429, { message: 'x', code: 'insufficient_quota' }),
      'provider_rate_limited',
      1,
    ],
    ['forbidden', fails(403, { message: 'x' }), 'provider_auth', 1],
    [
      'unknown model',
      fails(404, { message: 'x', code: 'model_not_found' }),
      'provider_bad_response',
      1,
    ],
    ['bad request', fails(400, { message: 'x' }), 'provider_bad_response', 1],
    ['content filter', fails(400, { message: 'x', code: 'content_filter' }), 'provider_refused', 1],
    [
      'too long, in words only',
      fails(400, { message: 'the request exceeds the available context size' }),
      'context_too_long',
      1,
    ],
    ['overloaded', fails(503, { message: 'x' }), 'provider_unavailable', 3],
    ['error without an end', endlessError, 'provider_unavailable', 3],
    [
      'error event before the first token',
      streams(event({ error: { message: 'x', code: 'server_error' } })),
      'provider_unavailable',
      3,
    ],
    [
      'error event with a status',
      streams(delta('Hi'), event({ error: { message: 'x', code: 429 } })),
      'provider_rate_limited',
      1,
    ],
    [
      'malformed JSON',
      streams(delta('Hi'), 'data: {"choices":[{"del\n\n'),
      'provider_bad_response',
      1,
    ],
    ['malformed JSON at once', streams('data: {"cho\n\n'), 'provider_bad_response', 3],
    [
      'no stream but a page',
      (response) => void response.end('<html>Hi</html>'),
      'provider_bad_response',
      3,
    ],
    [
      'spoken refusal',
      streams(event({ choices: [{ delta: { refusal: 'I cannot' } }] }), finish('stop'), DONE),
      'provider_refused',
      1,
    ],
    [
      'cut before the first token',
      (response) => void response.destroy(),
      'provider_unavailable',
      3,
    ],
  ];

  it.for(ERRORS)(
    'is typed, and retried only if it may pass: %s',
    async ([, handler, code, calls]) => {
      const { bodies, baseUrl } = await serve(handler);
      const { error } = await ask(baseUrl);
      expect(error).toMatchObject({ name: 'ProviderError', code });
      expect(bodies).toHaveLength(calls);
    },
  );

  it('has a type when nothing listens on the port', async () => {
    const { baseUrl } = await serve(streams());
    closers.pop()?.();
    const { error, pauses } = await ask(baseUrl);
    expect(error).toMatchObject({ code: 'provider_unavailable' });
    expect(pauses).toHaveLength(2);
  });

  it('is not reported when a retry succeeds', async () => {
    const { baseUrl } = await serve(
      fails(500, { message: 'x' }),
      streams(delta('Hi'), finish('stop'), DONE),
    );
    expect(await ask(baseUrl)).toMatchObject({ text: 'Hi', error: undefined });
  });

  it('is retried after growing, randomised delays', async () => {
    const { baseUrl } = await serve(fails(500, { message: 'x' }));
    expect((await ask(baseUrl, { random: () => 0 })).pauses).toEqual([250, 500]);
    const { pauses } = await ask(baseUrl, { random: () => 0.5 });
    expect(pauses).toEqual([375, 750]);
  });

  it.each([
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }, 9_000],
    ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '2' }, 1_500],
  ])('is followed by the pause that the server requests in %s', async (_, headers, ms) => {
    const { baseUrl } = await serve(
      fails(429, { message: 'x' }, headers),
      streams(delta('Hi'), finish('stop'), DONE),
    );
    const { pauses, text } = await ask(baseUrl, { now: () => Date.UTC(2026, 0, 1) });
    expect(pauses).toEqual([ms]);
    expect(text).toBe('Hi');
  });

  it('is final when the server asks for a longer delay than the limit', async () => {
    const { bodies, baseUrl } = await serve(fails(429, { message: 'x' }, { 'retry-after': '90' }));
    const { error } = await ask(baseUrl);
    expect(error).toMatchObject({ code: 'provider_rate_limited', retryAfterMs: 90_000 });
    expect(bodies).toHaveLength(1);
  });

  it('contains nothing of the conversation or the key', async () => {
    const secrets = ['test-key', 'a private sentence'];
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    for (const handler of [
      streams(delta('a private sentence'), 'data: {"a private sentence\n\n'),
      fails(401, { message: 'Incorrect API key provided: test-key' }),
      fails(400, { message: 'invalid input: a private sentence' }),
    ]) {
      const { error } = await ask((await serve(handler)).baseUrl, { showsCause: true });
      const { message, stack, shownCause } = error as ProviderError;
      expect(shownCause).toContain('test-model at http://127.0.0.1');
      const shown = `${message} ${stack} ${shownCause}`;
      for (const secret of secrets) expect(shown).not.toContain(secret);
    }
    expect(logged).not.toHaveBeenCalled();
  });
});
