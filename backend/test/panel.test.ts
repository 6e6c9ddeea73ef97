import { beforeAll, describe, expect, it } from 'vitest';
import type { Conversation, CreatedConversation } from '../src/contract/conversations.ts';
import type { Message, Reply } from '../src/contract/messages.ts';
import type { Persona, PersonaSummary } from '../src/contract/personas.ts';
import type { ReplyUsage } from '../src/contract/usage.ts';
import { type ApiClient, longText, type Stack, startStack } from './stack.ts';

const NAMES = ['Editor', 'Tutor', 'Critic'] as const;
const LONG = longText(120);
let stack: Stack;

const systemOf = (body: unknown): string =>
  (body as { messages: { role: string; content: string }[] }).messages
    .filter(({ role }) => role === 'system')
    .map(({ content }) => content)
    .join('\n');
/** Whether the call is for this member; the synthesis has no persona. */
const asks = (name: string) => (body: unknown) =>
  systemOf(body).includes(
    name === 'Synthesis' ? 'Close it with a short synthesis' : `you are “${name}”`,
  );
const calls = (name: string, question: string) =>
  stack.provider.getRequests().filter(({ body }) => {
    const said = JSON.stringify((body as { messages: unknown }).messages);
    return asks(name)(body) && said.includes(question);
  });

beforeAll(async () => {
  // With short replies, guests have quota for a panel of three and its synthesis.
  stack = await startStack({ MAX_REPLY_TOKENS: '1000' });
  for (const name of [...NAMES, 'Synthesis']) {
    const isOf = asks(name);
    stack.provider.addFixture({
      match: { predicate: (body) => isOf(body) && JSON.stringify(body).includes('slowly') },
      response: { content: name === 'Tutor' ? LONG : `${name} says little.` },
      ...(name === 'Tutor' && { streamingProfile: { tps: 40 } }),
    });
    stack.provider.addFixture({
      match: { predicate: isOf },
      response: { content: `${name} has spoken.` },
    });
  }
  stack.provider.onMessage(/.*/, { content: 'One answer.' });
});

/** A guest with a fusion of three ready-made personas, in the order of `NAMES`. */
async function withFusion(weights = [50, 30, 20]) {
  const user = await stack.guest();
  const all = (await user.get<PersonaSummary[]>('/personas?fields=summary')).body;
  const idOf = (name: string) => all.find((persona) => persona.name === name)?.id ?? '';
  const members = NAMES.map((name, n) => ({ id: idOf(name), weight: weights[n] }));
  const made = await user.post<Persona>('/personas/fusion', { name: 'Three', members });
  return { user, fusion: made.body, members };
}

const ask = async (user: ApiClient, content: string, message: object) => {
  const { status, body } = await user.post<CreatedConversation>('/conversations', {
    title: 'A panel',
    message: { content, ...message },
  });
  return { status, id: body.id, tab: await user.tab(body.id) };
};
const ended = async (user: ApiClient, id: string, status: Reply['status']): Promise<Reply> => {
  await expect.poll(async () => (await user.reply(id)).status).toBe(status);
  return user.reply(id);
};
const spoken = (name: string, first = false) => ({
  type: 'text',
  text: `${first ? '' : '\n\n'}${name} has spoken.`,
  ...(name !== 'Synthesis' && { personaName: name }),
});
const entriesOf = async (user: ApiClient, { id }: Reply) =>
  (await user.get<ReplyUsage>(`/replies/${id}/usage`)).body.entries;

describe('a panel', () => {
  it('answers in a part of each member, the highest weight first, and closes with the synthesis', async () => {
    const { user, fusion, members } = await withFusion([20, 30, 50]);
    const panel = { synthesis: true };
    const { id, tab } = await ask(user, 'In turn, please', { personaId: fusion.id, panel });
    const reply = await ended(user, id, 'complete');
    expect(reply.parts).toMatchObject([
      { ...spoken('Critic', true), personaId: members[2]?.id },
      { ...spoken('Tutor'), personaId: members[1]?.id },
      { ...spoken('Editor'), personaId: members[0]?.id },
      spoken('Synthesis'),
    ]);
    expect(reply.parts[3]).not.toHaveProperty('personaId');
    expect(reply.content).toBe(reply.parts.map(({ text }) => text).join(''));
    expect(reply.persona).toMatchObject({ name: 'Three' });
    await expect.poll(() => tab.reply.status).toBe('complete');
    expect(tab.reply.parts).toEqual(reply.parts);
    const system = systemOf(calls('Editor', 'In turn, please')[0]?.body);
    expect(system).toMatch(/Critic, Tutor, Editor/);
    expect(system).toMatch(/\[Tutor\]\nTutor has spoken\.[^]*\[Critic\]\nCritic has spoken\./);
    const [entry, ...others] = await entriesOf(user, reply);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ attempt: 1, state: 'settled' });
  });

  it('is stored by its conversation, repeated when it is regenerated, and ended by another persona', async () => {
    const { user, fusion, members } = await withFusion();
    const panel = { synthesis: false };
    const { id } = await ask(user, 'Remember me', { personaId: fusion.id, panel });
    const first = await ended(user, id, 'complete');
    expect(first.parts.map(({ personaName }) => personaName)).toEqual([...NAMES]);
    expect((await user.get<Conversation[]>('/conversations')).body[0]).toMatchObject({ panel });
    await user.post(`/replies/${first.id}/regenerate`);
    await expect.poll(async () => (await user.reply(id)).id).not.toBe(first.id);
    expect((await ended(user, id, 'complete')).parts).toEqual(first.parts);
    await user.send(id, 'Once more');
    expect((await ended(user, id, 'complete')).parts).toHaveLength(3);
    const asked = calls('Editor', 'Once more')[0]?.body;
    expect(JSON.stringify(asked)).toContain('**Editor**\\n\\nEditor has spoken.');
    await user.patch(`/conversations/${id}`, { personaId: members[1]?.id });
    expect((await user.get<Conversation[]>('/conversations')).body[0]).not.toHaveProperty('panel');
    await user.send(id, 'Alone now');
    expect((await ended(user, id, 'complete')).content).toBe('Tutor has spoken.');
    const exported = await fetch(`${user.url}/api/conversations/${id}/export?format=md`, {
      headers: { authorization: `Bearer ${user.token}` },
    });
    expect(await exported.text()).toContain(
      '**Editor**\n\nEditor has spoken.\n\n**Tutor**\n\nTutor has spoken.\n\n**Critic**',
    );
  });

  it('is refused for a persona that is no fusion, and for the fusion of another user', async () => {
    const { user, fusion, members } = await withFusion();
    const id = await user.conversation();
    const path = `/conversations/${id}/messages`;
    const panel = { synthesis: true };
    const no = { status: 422, body: { code: 'invalid_field', details: { field: 'panel' } } };
    const single = { content: 'Hello', personaId: members[0]?.id, panel };
    expect(await user.post(path, single)).toMatchObject(no);
    expect(await user.post(path, { content: 'Hello', panel })).toMatchObject(no);
    expect(await user.patch(`/conversations/${id}`, { panel })).toMatchObject(no);
    expect(
      (await user.post(path, { content: 'Hello', personaId: fusion.id, panel: { synthesis: 1 } }))
        .status,
    ).toBe(422);
    const other = await stack.guest();
    const elsewhere = `/conversations/${await other.conversation()}`;
    const foreign = { personaId: fusion.id, panel };
    expect((await other.post(`${elsewhere}/messages`, { content: 'Hi', ...foreign })).status).toBe(
      404,
    );
    expect((await other.patch(elsewhere, foreign)).status).toBe(404);
    expect(await user.messages(id)).toEqual([]);
  });

  it('ends at the length limit of a member, and continues with that member, then the others', async () => {
    const { user, fusion } = await withFusion();
    const panel = { synthesis: false };
    stack.provider.prependFixture({
      match: {
        predicate: (body) =>
          asks('Tutor')(body) &&
          JSON.stringify(body).includes('At length') &&
          !JSON.stringify(body).includes('cut off'),
      },
      response: { content: 'Tutor has', finishReason: 'length' },
    });
    const { id, tab } = await ask(user, 'At length', { personaId: fusion.id, panel });
    const cut = await ended(user, id, 'complete');
    expect(cut).toMatchObject({
      ending: 'length',
      parts: [spoken('Editor', true), { personaName: 'Tutor', text: '\n\nTutor has' }],
    });
    expect(calls('Critic', 'At length')).toEqual([]);
    await expect.poll(() => tab.reply).toMatchObject({ status: 'complete', ending: 'length' });
    expect((await user.post(`/replies/${cut.id}/continue`)).status).toBe(202);
    await expect
      .poll(async () => (await user.reply(id)).parts)
      .toMatchObject([
        spoken('Editor', true),
        { personaName: 'Tutor', text: '\n\nTutor hasTutor has spoken.' },
        spoken('Critic'),
      ]);
    expect(await ended(user, id, 'complete')).not.toHaveProperty('ending');
  });

  it('that is stopped in the middle keeps its text, and ends', async () => {
    const { user, fusion } = await withFusion();
    const panel = { synthesis: true };
    const { id, tab } = await ask(user, 'Stop me, slowly', { personaId: fusion.id, panel });
    await expect.poll(() => tab.reply.parts[1]?.text.length ?? 0).toBeGreaterThan(100);
    const { id: replyId } = await user.reply(id);
    await user.post(`/replies/${replyId}/stop`);
    const reply: Reply = await ended(user, id, 'stopped');
    expect(reply.parts.map(({ personaName }) => personaName)).toEqual(['Editor', 'Tutor']);
    expect(calls('Critic', 'Stop me, slowly')).toEqual([]);
    await expect.poll(() => tab.reply.status).toBe('stopped');
    expect(tab.reply.parts).toEqual(reply.parts);
  });

  it('whose worker is killed while the second member writes is continued with that member', async () => {
    const { user, fusion } = await withFusion();
    const panel = { synthesis: true };
    const { id, tab } = await ask(user, 'Kill it, slowly', { personaId: fusion.id, panel });
    await expect.poll(() => tab.reply.parts[1]?.text.length ?? 0).toBeGreaterThan(100);
    stack.provider.prependFixture({
      match: {
        predicate: (body) => asks('Tutor')(body) && JSON.stringify(body).includes('cut off'),
      },
      response: { content: 'and so on.' },
    });
    await stack.worker.kill();
    const cut = tab.reply.parts;
    await stack.worker.restart();
    const whole = await ended(user, id, 'complete');
    expect(whole.parts[1]?.text.startsWith(cut[1]?.text ?? '?')).toBe(true);
    expect(whole.parts).toEqual([
      cut[0],
      { ...cut[1], text: expect.stringMatching(/and so on\.$/) },
      expect.objectContaining({ personaName: 'Critic', text: '\n\nCritic says little.' }),
      { type: 'text', text: '\n\nSynthesis says little.' },
    ]);
    expect(calls('Editor', 'Kill it, slowly')).toHaveLength(1);
    expect(calls('Tutor', 'Kill it, slowly')).toHaveLength(2);
    await expect.poll(() => tab.reply.status).toBe('complete');
    expect(tab.reply.parts).toEqual(whole.parts);
    const entries = await entriesOf(user, whole);
    expect(entries.map(({ attempt, state }) => ({ attempt, state }))).toEqual([
      { attempt: 1, state: 'settled' },
      { attempt: 2, state: 'settled' },
    ]);
    const messages = (await user.get<Message[]>(`/conversations/${id}/messages`)).body;
    expect(messages).toHaveLength(2);
  });
});
