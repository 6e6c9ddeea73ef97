import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Conversation, CreatedConversation } from '../src/contract/conversations.ts';
import type { Message, Reply } from '../src/contract/messages.ts';
import type {
  FusionPreview,
  Persona,
  PersonaPreview,
  PersonaSummary,
} from '../src/contract/personas.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ OPENAI_MODEL: 'owl-1', PERSONA_MODELS: 'owl-2' });
  stack.provider.onMessage(/.*/, { content: 'Owls hoot.' });
});

const systemPrompts = () =>
  stack.provider
    .getRequests()
    .flatMap(({ body }) => (body as { messages: { role: string; content: string }[] }).messages)
    .filter(({ role }) => role === 'system')
    .map(({ content }) => content);

const make = async (user: ApiClient, fields: object = {}) =>
  (await user.post<Persona>('/personas', { name: 'Ada', ...fields })).body;

const completed = async (user: ApiClient, id: string): Promise<Reply> => {
  await expect.poll(async () => (await user.reply(id)).status).toBe('complete');
  return user.reply(id);
};

describe('personas over HTTP', () => {
  it('of a guest: six are ready-made, one can be made, and the next one is refused', async () => {
    const user = await stack.guest();
    expect((await user.get<PersonaSummary[]>('/personas?fields=summary')).body).toHaveLength(6);
    const made = await user.post<Persona>('/personas', { name: 'Ada' });
    expect(made).toMatchObject({ status: 201, body: { name: 'Ada', version: 1 } });
    expect(await user.post('/personas', { name: 'Ben' })).toMatchObject({
      status: 402,
      body: { code: 'persona_limit', details: { limit: 1 } },
    });
    const path = `/personas/${made.body.id}`;
    const changed = await user.patch<Persona>(path, { version: 1, tone: ['calm'] });
    expect(changed.body).toMatchObject({ version: 2, tone: ['calm'] });
    expect((await user.patch(path, { version: 1, tone: [] })).status).toBe(409);
    expect((await user.call('DELETE', path)).status).toBe(204);
    expect((await user.get(path)).status).toBe(404);
  });

  it('of others answer 404', async () => {
    const [ada, ben] = [await stack.guest(), await stack.guest()];
    const { id } = await make(ada);
    const own = await ben.conversation();
    const calls: [string, string, object?][] = [
      ['GET', `/personas/${id}`],
      ['PATCH', `/personas/${id}`, { version: 1, name: 'Mine' }],
      ['DELETE', `/personas/${id}`],
      ['POST', `/personas/${id}/duplicate`],
      ['PATCH', `/conversations/${own}`, { personaId: id }],
      ['POST', `/conversations/${own}/messages`, { content: 'Hello', personaId: id }],
    ];
    for (const [method, path, body] of calls)
      expect({ path, status: (await ben.call(method, path, body)).status }).toEqual({
        path,
        status: 404,
      });
  });

  it('need a session', async () => {
    expect((await stack.api('wrong').get('/personas')).status).toBe(401);
  });

  it('are shown as a prompt', async () => {
    const user = await stack.guest();
    const persona = { name: 'Ada', knowledge: [{ keys: ['owl'], text: 'Owls are birds.' }] };
    const { body } = await user.post<PersonaPreview>('/personas/preview', {
      persona,
      messages: ['An OWL?'],
    });
    expect(body.prompt).toContain('In this conversation you are “Ada”.');
    expect(body.prompt).toContain('Owls are birds.');
    expect(body.tokens).toBeGreaterThan(20);
  });
});

describe('a conversation with a persona', () => {
  it('gives the model its text, and each reply records name and version', async () => {
    const user = await stack.guest();
    const persona = await make(user, { instructions: 'Speak of the xylophone.' });
    const { body: created } = await user.post<CreatedConversation>('/conversations', {
      title: 'With Ada',
      message: { content: 'Hello', personaId: persona.id },
    });
    expect(created.sent?.reply.persona).toEqual({ id: persona.id, name: 'Ada', version: 1 });
    const reply = await completed(user, created.id);
    expect(reply.persona).toEqual({ id: persona.id, name: 'Ada', version: 1 });
    expect(reply.metadata?.contextReceipt?.parts.map(({ part }) => part)).toEqual([
      'system',
      'persona',
      'history',
    ]);
    expect(systemPrompts().at(-1)).toContain('Speak of the xylophone.');
    const found = (await user.get<Conversation[]>('/conversations')).body[0];
    expect(found).toMatchObject({ personaId: persona.id });

    await user.patch(`/personas/${persona.id}`, { version: 1, name: 'Grace' });
    await user.send(created.id, 'And now?');
    expect((await completed(user, created.id)).persona).toMatchObject({
      name: 'Grace',
      version: 2,
    });
    await user.patch(`/conversations/${created.id}`, { personaId: null });
    await user.send(created.id, 'Without?');
    expect(await completed(user, created.id)).not.toHaveProperty('persona');
    expect(systemPrompts().at(-1)).not.toContain('xylophone');
    const messages = (await user.get<Message[]>(`/conversations/${created.id}/messages`)).body;
    expect(messages[1]).toMatchObject({ persona: { name: 'Ada', version: 1 } });
  });
});

describe('character cards and fusions over HTTP', () => {
  const CARD = {
    spec: 'chara_card_v2',
    spec_version: '2.0',
    data: { name: 'Owl', system_prompt: 'Hoot.', extensions: { a: 1 } },
  };
  const upload = (user: ApiClient, query: string, body: string | Buffer, type: string) =>
    fetch(`${user.url}/api/personas/import${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.token}`, 'content-type': type },
      body: new Uint8Array(Buffer.from(body)),
    });

  it('a card that does not end keeps only its own user waiting', async () => {
    const [slow, other] = [await stack.guest(), await stack.guest()];
    const begun: ClientRequest[] = [];
    const begin = async () => {
      const headers = { authorization: `Bearer ${slow.token}`, expect: '100-continue' };
      const started = request(`${slow.url}/api/personas/import`, { method: 'POST', headers });
      started.on('error', () => undefined).write('{');
      begun.push(started);
      await once(started, 'continue');
    };
    const statusFor = async (user: ApiClient) =>
      (await upload(user, '', JSON.stringify(CARD), 'application/json')).status;
    await expect
      .poll(async () => {
        await begin();
        return statusFor(slow);
      })
      .toBe(503);
    expect(await statusFor(other)).toBe(200);
    for (const started of begun) started.destroy();
    await expect.poll(() => statusFor(slow)).toBe(200);
  });

  it('a card is shown, then imported, then exported', async () => {
    const user = await stack.guest();
    const file = JSON.stringify(CARD);
    const shown = await upload(user, '', file, 'application/json');
    expect([shown.status, await shown.json()]).toMatchObject([200, { instructions: 'Hoot.' }]);
    expect((await user.get<PersonaSummary[]>('/personas?fields=summary')).body).toHaveLength(6);
    const query = '?accept=true&instructions=true';
    const imported = await upload(user, query, file, 'application/octet-stream');
    const persona = (await imported.json()) as Persona;
    expect([imported.status, persona]).toMatchObject([
      201,
      { name: 'Owl', hasCard: true, instructions: 'Hoot.' },
    ]);
    const path = `${user.url}/api/personas/${persona.id}/export?format=`;
    const headers = { authorization: `Bearer ${user.token}` };
    const json = await fetch(`${path}v3`, { headers });
    expect(json.headers.get('content-disposition')).toContain('Owl.json');
    expect(await json.json()).toMatchObject({
      spec: 'chara_card_v3',
      data: { extensions: { a: 1 } },
    });
    const png = await fetch(`${path}png`, { headers });
    expect(png.headers.get('content-type')).toBe('image/png');
    const again = await upload(user, '', Buffer.from(await png.arrayBuffer()), 'image/png');
    expect(await again.json()).toMatchObject({ format: 'v3', persona: { name: 'Owl' } });
    expect((await fetch(`${path}exe`, { headers })).status).toBe(422);
    const huge = await upload(user, '', Buffer.alloc(10 * 1024 * 1024 + 1), 'image/png');
    expect(huge.status).toBe(413);
  });

  it('two are fused, shown and saved as one', async () => {
    const user = await stack.guest();
    const { body: list } = await user.get<PersonaSummary[]>('/personas?fields=summary');
    const [first, second] = list.map(({ id }) => id);
    const body = {
      name: 'Both',
      members: [
        { id: first, weight: 60 },
        { id: second, weight: 40 },
      ],
    };
    const shown = await user.post<FusionPreview>('/personas/fusion/preview', body);
    expect(shown.body.provenance.map(({ line }) => line).join('\n')).toBe(shown.body.prompt);
    const saved = await user.post<Persona>('/personas/fusion', body);
    expect(saved).toMatchObject({
      status: 201,
      body: {
        name: 'Both',
        fusion: {
          members: [
            { id: first, weight: 60 },
            { id: second, weight: 40 },
          ],
        },
      },
    });
    const { body: preview } = await user.post<PersonaPreview>('/personas/preview', {
      persona: saved.body,
    });
    expect(preview.prompt).toBe(shown.body.prompt);
    const stranger = await stack.guest();
    const others = {
      members: [
        { id: saved.body.id, weight: 50 },
        { id: first, weight: 50 },
      ],
    };
    expect((await stranger.post('/personas/fusion/preview', others)).status).toBe(404);
    const exported = await user.get<{ data: { extensions: object } }>(
      `/personas/${saved.body.id}/export?format=v3`,
    );
    expect(exported.body.data.extensions).toMatchObject({ 'stolas/fusion': saved.body.fusion });
  });
});

describe('the model of a persona', () => {
  it('is one that the operator offers; it writes the replies, and their receipt names it', async () => {
    const user = await stack.guest();
    expect((await user.get('/personas/models')).body).toEqual({ models: ['owl-1', 'owl-2'] });
    const refused = await user.post('/personas', { name: 'Ada', model: 'dear-1' });
    expect(refused).toMatchObject({ status: 422, body: { details: { field: 'model' } } });
    const { id: personaId } = await make(user, { model: 'owl-2' });
    const message = { content: 'Which model?', personaId };
    const { body } = await user.post<CreatedConversation>('/conversations', {
      title: 'Models',
      message,
    });
    const reply = await completed(user, body.id);
    const asked = stack.provider
      .getRequests()
      .map(({ body }) => body as { model: string; messages: object[] });
    const call = asked.find(({ messages }) => JSON.stringify(messages).includes('Which model?'));
    expect(call?.model).toBe('owl-2');
    expect(reply.metadata?.depthReceipt).toMatchObject({
      model: expect.stringContaining('owl-2') as string,
    });
  });
});
