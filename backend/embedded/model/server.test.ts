import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { OpenAI } from 'openai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { serve } from '../../src/http/serve.fixture.ts';
import { createDemoModel } from './server.ts';

let server: Server;
let origin: string;
let stop: () => void;
let client: OpenAI;

beforeAll(async () => {
  server = createDemoModel({ apiKey: 'demo-key' });
  ({ url: origin, stop } = await serve(server));
  client = new OpenAI({
    baseURL: `${origin}/v1`,
    apiKey: 'demo-key',
    maxRetries: 0,
    logLevel: 'off',
  });
});
afterAll(() => stop());

type Messages = OpenAI.ChatCompletionMessageParam[];
const said = (content: string): Messages => [{ role: 'user', content }];

async function answer(messages: Messages, maxTokens?: number) {
  const completion = await client.chat.completions.create({
    model: 'any',
    messages,
    ...(maxTokens ? { max_tokens: maxTokens } : {}),
  });
  const [choice] = completion.choices;
  return {
    text: choice?.message.content ?? '',
    ended: choice?.finish_reason,
    usage: completion.usage,
  };
}

async function streamed(content: string) {
  const pieces: string[] = [];
  const stream = await client.chat.completions.create({
    model: 'any',
    messages: said(content),
    stream: true,
    stream_options: { include_usage: true },
  });
  let usage: OpenAI.CompletionUsage | null | undefined;
  for await (const chunk of stream) {
    const text = chunk.choices[0]?.delta.content;
    if (text) pieces.push(text);
    usage = chunk.usage ?? usage;
  }
  return { pieces, usage };
}

const post = (body: string, key = 'demo-key') =>
  fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body,
  });

const QUESTION = { model: 'any', messages: said('Hello') };

describe('the demo model', () => {
  it.each(['Hello', '/help', '/markdown', '/table', '/code', '/long 2', '/nonsense'])(
    'answers %s without a word about settings, which are the operator’s',
    async (content) => {
      const { text, ended } = await answer(said(content));
      expect(text).not.toBe('');
      expect(text).not.toContain('OPENAI_');
      expect(ended).toBe('stop');
    },
  );

  it('echoes the message, each line as a quote', async () => {
    const { text } = await answer(said('Hello owl\n# who are you?'));
    expect(text).toContain('> Hello owl\n> # who are you?\n');
    expect(text).toContain('6 words');
  });

  it('accepts a message in parts', async () => {
    const { text } = await answer([
      { role: 'user', content: [{ type: 'text', text: 'Hello from a part' }] },
    ]);
    expect(text).toContain('> Hello from a part');
  });

  it('says that it cannot see images', async () => {
    const { text } = await answer([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hello owl' },
          { type: 'text', text: 'Image "owl.png":' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ]);
    expect(text).toContain('I cannot see images');
    expect(text).toContain('> Hello owl\n');
    expect(text).not.toContain('owl.png');
  });

  it('shows every kind of Markdown', async () => {
    const { text } = await answer(said('/markdown'));
    for (const sign of [
      /^## /m,
      /^\| --- \|/m,
      /^- \[x\] /m,
      /^- \[ \] /m,
      /^```ts$/m,
      /^> /m,
      /\]\(https:/,
    ]) {
      expect(text).toMatch(sign);
    }
  });

  it('lists every command under /help', async () => {
    const { text } = await answer(said('/help'));
    for (const command of [
      '/markdown',
      '/table',
      '/code',
      '/long 20',
      '/slow 30',
      '/fail 429',
      '/fail cut',
    ]) {
      expect(text).toContain(`\`${command}\``);
    }
  });

  it('lists what shows the product before what fails on purpose', async () => {
    const { text } = await answer(said('/help'));
    const places = ['/markdown', '/claims', '/help', '/slow', '/fail'].map((name) =>
      text.indexOf(`\`${name}`),
    );
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it.each([
    ['Wie geht es dir?', /^Hallo! Ich bin das \*\*Demo-Modell\*\*[^]*Das sind 4 Wörter/],
    ['/hilfe', /^Ich bin das Demo-Modell\.[^]*`\/table`: eine Tabelle/],
  ])('answers %s in German', async (message, expected) => {
    expect((await answer(said(message))).text).toMatch(expected);
  });

  it('shows its samples and its reasoning in German where the conversation is German', async () => {
    const ask = async (command: string) =>
      (await answer([...said('/hilfe'), ...said(command)])).text;
    expect(await ask('/markdown')).toMatch(
      /Was Eulen lehren[^]*Schleiereule[^]*Dasselbe in Python/,
    );
    expect(await ask('/long 4')).toContain('4 KB gemischtes Markdown');
    expect(await ask('/think')).toContain('die Hälfte ihres Gewichts');
    const reasoned = async (message: string) => {
      const messages = [...said('Wie geht es dir?'), ...said(message)];
      const effort = { reasoning_effort: 'high' };
      return (
        await post(JSON.stringify({ model: 'any', stream: true, messages, ...effort }))
      ).text();
    };
    expect(await reasoned('Hallo')).toContain('Die Nachricht hat 1 Wort.');
    expect(await reasoned('/think')).toContain('Hier soll ein Gedankengang');
  });

  it('stays in the language of the conversation where a message has none', async () => {
    const messages: Messages = [
      { role: 'user', content: 'Ich mag Eulen und Tee.' },
      { role: 'assistant', content: 'Hello! The end is here.' },
    ];
    expect((await answer([...messages, ...said('/help')])).text).toContain('Demo-Modell');
    expect((await answer([...messages, ...said('What is an owl?')])).text).toContain('demo model');
  });

  it('makes an answer of the requested length', async () => {
    const { text } = await answer(said('/long 20'));
    expect(text.length).toBeGreaterThan(20_000);
    expect(text.length).toBeLessThan(22_000);
  });

  it('streams the text of an unstreamed answer in pieces of about 50 characters, with the same usage', async () => {
    const whole = await answer(said('/long 4 1000'));
    const { pieces, usage } = await streamed('/long 4 1000');
    expect(pieces.join('')).toBe(whole.text);
    expect(usage).toEqual(whole.usage);
    expect(whole.text.length / pieces.length).toBeGreaterThan(40);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(60);
  });

  it.each([
    ['without a word', []],
    ['when told to', said('Your last answer was cut off. Go on exactly where it ends.')],
  ])('continues %s where an answer was cut off, and does not fail again', async (_, goOn) => {
    const begun = 'This answer breaks on purpose';
    const { text } = await answer([
      ...said('/fail cut'),
      { role: 'assistant', content: begun },
      ...goOn,
    ]);
    expect(text).toMatch(/^: `\/fail cut`/);
    expect(text).toContain('even squares');
  });

  it('ends an answer in the middle by its length on request, and continues it from there', async () => {
    const { text, ended } = await answer(said('/fail length'));
    const body = JSON.stringify({ model: 'any', stream: true, messages: said('/fail length') });
    const sent = await (await post(body)).text();
    expect(sent).toContain('"finish_reason":"length"');
    const begun = text.slice(0, 100);
    const rest = await answer([...said('/fail length'), { role: 'assistant', content: begun }]);
    expect(rest).toMatchObject({ text: text.slice(100), ended: 'stop' });
    expect(ended).toBe('length');
  });

  it('streams reasoning before the answer on request', async () => {
    const response = await post(
      JSON.stringify({ model: 'any', stream: true, messages: said('/think') }),
    );
    const body = await response.text();
    expect(body).toContain('"reasoning_content":"The user wants');
    expect(body.lastIndexOf('reasoning_content')).toBeLessThan(
      body.indexOf('An owl carries **half'),
    );
  });

  it('reasons before any answer at high effort, and counts that', async () => {
    const ask = async (effort: string) => {
      const response = await post(
        JSON.stringify({
          model: 'any',
          stream: true,
          stream_options: { include_usage: true },
          messages: said('Hello owl'),
          reasoning_effort: effort,
        }),
      );
      return { status: response.status, text: await response.text() };
    };
    const high = (await ask('high')).text;
    expect(high).toContain('"reasoning_content":"The message has 2 words.');
    expect(Number(/"reasoning_tokens":(\d+)/.exec(high)?.[1])).toBeGreaterThan(20);
    const low = (await ask('low')).text;
    expect(low).not.toContain('reasoning_content');
    expect(low).toContain('"reasoning_tokens":0');
    expect(await ask('minimal')).toMatchObject({
      status: 400,
      text: expect.stringContaining('reasoning_effort') as string,
    });
  });

  it('ends at the maximum length of the answer', async () => {
    const { text, ended } = await answer(said('/long 20'), 50);
    expect(text.length).toBeLessThanOrEqual(200);
    expect(ended).toBe('length');
  });

  it('waits before the first word on request, and serves other clients meanwhile', async () => {
    const slow = answer(said('/slow 1')).then(() => 'slow');
    const quick = answer(said('/table')).then(() => 'quick');
    expect(await Promise.race([slow, quick])).toBe('quick');
    expect(await slow).toBe('slow');
  });

  it('stops when the client disconnects', async () => {
    const served = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const abort = new AbortController();
    const { headers } = await fetch(`${origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer demo-key' },
      body: JSON.stringify({ model: 'any', stream: true, messages: said('/long 100') }),
      signal: abort.signal,
    });
    expect(headers.get('server')).toBe('stolas-embedded');
    const [, response] = await served;
    const write = vi.spyOn(response, 'write');
    await expect.poll(() => write).toHaveBeenCalled();
    abort.abort();
    await once(response, 'close');
    write.mockClear();
    expect((await streamed('/table')).pieces.length).toBeGreaterThan(3);
    expect(write).not.toHaveBeenCalled();
  });

  it('answers vectors that are closer for texts that share more words, in both encodings', async () => {
    const input = ['The barn owl hunts at night.', 'Barn owls hunt mice.', 'Rent is due in May.'];
    const vectors = async (encoding?: 'float') => {
      const body = { model: 'any', input, ...(encoding && { encoding_format: encoding }) };
      const { data } = await client.embeddings.create(body);
      return data.map(({ embedding }) => embedding);
    };
    const [owl = [], owls = [], rent = []] = await vectors('float');
    const product = (a: number[], b: number[]) =>
      a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
    expect(product(owl, owls)).toBeGreaterThan(product(owl, rent));
    expect(product(owl, owl)).toBeCloseTo(1);
    expect(await vectors()).toEqual([owl, owls, rent]);
  });

  it('refuses an unknown structured answer', async () => {
    const body = {
      ...QUESTION,
      response_format: { type: 'json_schema', json_schema: { name: 'x' } },
    };
    const response = await post(JSON.stringify(body));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { message: "The demo model does not know answers of the kind 'x'." },
    });
  });

  it('lists one model', async () => {
    const models = await client.models.list();
    expect(models.data.map(({ id }) => id)).toEqual(['stolas-demo']);
  });

  it('refuses a wrong key', async () => {
    const response = await post('{}', 'wrong');
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_api_key' } });
  });

  it.each([
    ['no JSON', '{"model":'],
    ['no messages', '{"model":"any","messages":[]}'],
    ['messages of a wrong kind', '{"model":"any","messages":[{"role":"user","content":7}]}'],
  ])('refuses %s, in the form of OpenAI', async (_, body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { message: expect.any(String) as string, type: 'invalid_request_error' },
    });
  });

  it('answers 404 for any other path', async () => {
    const response = await fetch(`${origin}/v1/files`, {
      headers: { authorization: 'Bearer demo-key' },
    });
    expect(response.status).toBe(404);
  });
});

it('answers as each member of a panel, also on a command, and closes it', async () => {
  const ask = async (system: string, message: string) =>
    (await answer([{ role: 'system', content: system }, ...said(message)])).text;
  const turn =
    'You are one member of a panel whose members answer the same message in turn: Ada, Ben. Answer.';
  const ada = await ask(`In this conversation you are “Ada”.\n\n${turn}`, '/table');
  const ben = await ask(`In this conversation you are “Ben”.\n\n${turn}`, '/table');
  expect(ada).toMatch(/^\*\*Ada\*\* answers:\n\n\| # \| Owl/);
  expect(ben).toBe(ada.replace('Ada', 'Ben'));
  const close =
    'A panel has answered the message in turn: Ada, Ben. Close it with a short synthesis.';
  expect(await ask(close, '/table')).toMatch(/^The panel of Ada, Ben has answered:\n\n> \/table/);
});

it('discusses the starter prompt of a panel as its two members, and sums it up', async () => {
  const prompt = 'Let an analyst and a critic discuss: should we renew a lease that got dearer?';
  const names = 'Analyst, Critic';
  const turn = (name: string) =>
    `In this conversation you are “${name}”.\n\nYou are one member of a panel whose members answer the same message in turn: ${names}. Answer.`;
  const ask = async (system: string) =>
    (await answer([{ role: 'system', content: system }, ...said(prompt)])).text;
  expect(await ask(turn('Analyst'))).toMatch(/^Renewing is cheaper/);
  expect(await ask(turn('Critic'))).toMatch(/^In its strongest form/);
  expect(await ask(`A panel has answered the message in turn: ${names}. Close it.`)).toMatch(
    /^Both would renew/,
  );
});

it('answers as the persona of the prompt', async () => {
  const system =
    'Be kind.\n\nIn this conversation you are “Ada”.\n\nTone:\n- calm\n- frank\n\nAbout you:';
  const { text } = await answer([{ role: 'system', content: system }, ...said('Hello')]);
  expect(text).toMatch(/^\*\*Ada\*\* answers, calm, frank:\n\nHello! I am/);
});
