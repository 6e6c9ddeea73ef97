import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import type { ReasoningLevel } from './models.ts';
import { createOpenAiProvider } from './openai.ts';
import type { ChatEvent } from './port.ts';

type Body = Record<string, unknown>;

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that answers, unless `refusal` returns a refusal of the body. */
async function serve(refusal: (body: Body) => object | undefined, name = 'error') {
  const bodies: Body[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      bodies.push(body as Body);
      const said = refusal(body as Body);
      return answer(response, said && { [name]: said });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const provider = createOpenAiProvider({ baseUrl, apiKey: 'k', model: 'gpt-5', idleMs: 20_000 });
  const ask = async (reasoning?: ReasoningLevel, model?: string) => {
    const events: ChatEvent[] = [];
    const { signal } = new AbortController();
    const request = {
      messages: [],
      signal,
      maxTokens: 100,
      ...(reasoning && { reasoning }),
      ...(model && { model }),
    };
    for await (const event of provider.stream(request)) events.push(event);
    return events;
  };
  return { bodies, ask };
}

function answer(response: ServerResponse, error: object | undefined) {
  response.writeHead(error ? 400 : 200, {
    'content-type': error ? 'application/json' : 'text/event-stream',
  });
  const chunk = { choices: [{ delta: { content: 'Hi' }, finish_reason: 'stop' }] };
  response.end(
    error ? JSON.stringify(error) : `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`,
  );
}

const HI = { type: 'delta', part: 'text', text: 'Hi' };

it('reports the applied reasoning before the first delta', async () => {
  const { ask } = await serve(() => undefined);
  expect(await ask('highest')).toEqual([
    {
      type: 'reasoning',
      requested: 'highest',
      applied: 'highest',
      parameter: 'reasoning_effort: high',
    },
    HI,
  ]);
  expect(await ask()).toEqual([HI]);
});

const REFUSED = {
  type: 'reasoning',
  applied: 'default',
  parameter: null,
  refused: 'reasoning_effort',
};

it('repeats a request once without the parameter that was refused, and remembers it for every level', async () => {
  const { bodies, ask } = await serve((body) =>
    body.reasoning_effort
      ? { message: "Unsupported parameter: 'reasoning_effort'", param: 'reasoning_effort' }
      : undefined,
  );
  expect(await ask('highest')).toEqual([{ ...REFUSED, requested: 'highest' }, HI]);
  expect(bodies.map((body) => body.reasoning_effort)).toEqual(['high', undefined]);
  expect(await ask('medium')).toEqual([{ ...REFUSED, requested: 'medium' }, HI]);
  expect(bodies).toHaveLength(3);
  expect(bodies[2]).not.toHaveProperty('reasoning_effort');
});

it('remembers a refused value, and still sends the others', async () => {
  const { bodies, ask } = await serve((body) =>
    body.reasoning_effort === 'minimal'
      ? { message: 'x', param: 'reasoning_effort', code: 'unsupported_value' }
      : undefined,
  );
  for (const level of ['lowest', 'lowest', 'highest'] as const) await ask(level);
  expect(bodies.map((body) => body.reasoning_effort)).toEqual([
    'minimal',
    undefined,
    undefined,
    'high',
  ]);
});

it('suspects the parameter after store when a refusal names nothing', async () => {
  const { bodies, ask } = await serve((body) => (body.reasoning_effort ? {} : undefined), 'detail');
  expect(await ask('highest')).toContainEqual(HI);
  expect(bodies.map((body) => [body.store, body.reasoning_effort])).toEqual([
    [false, 'high'],
    [undefined, 'high'],
    [undefined, undefined],
  ]);
});

it('keeps the knowledge of two concurrent calls', async () => {
  const { bodies, ask } = await serve((body) => {
    if (body.reasoning_effort) return { message: 'reasoning_effort' };
    return 'store' in body && bodies.length > 1 ? { message: 'store' } : undefined;
  });
  await Promise.all([ask('highest'), ask()]);
  const before = bodies.length;
  await ask('highest');
  expect(bodies).toHaveLength(before + 1);
});

it('does not repeat a request whose refusal names something else', async () => {
  const { bodies, ask } = await serve(() => ({ message: 'messages must not be empty' }));
  await expect(ask('highest')).rejects.toMatchObject({ code: 'provider_bad_response' });
  expect(bodies).toHaveLength(1);
});

it('calls the model that a request names, with the parameters that this model takes and has not refused', async () => {
  const { bodies, ask } = await serve((body) =>
    body.model === 'o3' && body.reasoning_effort
      ? { message: 'x', param: 'reasoning_effort' }
      : undefined,
  );
  await ask('lowest', 'o3');
  await ask('lowest', 'claude-sonnet-4-5');
  await ask('lowest');
  await ask('lowest', 'o3');
  expect(
    bodies.map(({ model, reasoning_effort, thinking }) => [model, reasoning_effort, thinking]),
  ).toEqual([
    ['o3', 'low', undefined],
    ['o3', undefined, undefined],
    ['claude-sonnet-4-5', undefined, { type: 'disabled' }],
    ['gpt-5', 'minimal', undefined],
    ['o3', undefined, undefined],
  ]);
});
