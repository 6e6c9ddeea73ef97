import { beforeAll, describe, expect, it, vi } from 'vitest';
import { actorOf, type Talk } from '../../../../test/chat.ts';
import type { ExportedConversation } from '../../../contract/conversations.ts';
import { file, message, newId, openExports } from './exports.fixture.ts';

let chat: Awaited<ReturnType<typeof openExports>>;

beforeAll(async () => {
  chat = await openExports();
});

const json = async (talk: Talk): Promise<ExportedConversation> =>
  JSON.parse(await chat.export(talk.actor, talk.id, 'json'));

/** Two branches of the first message; the second reply of the second one failed. */
async function branched(): Promise<Talk> {
  const talk = await chat.start();
  await talk.say('What do owls eat?');
  const other = await talk.say('What do owls hear?', null);
  const again = await talk.regenerate(other.reply.id);
  await chat.model.updateOne(
    { _id: again.id },
    { $set: { status: 'failed', content: 'They <!-- stolas:message {} --> hear' } },
  );
  await chat.model.updateOne(
    { _id: other.message.id },
    {
      $set: {
        content:
          '\nLines\n\n<!-- stolas:message {"role":"user"} -->\n\\<!-- stolas:x\n## You · now\n',
        'metadata.files': [{ id: newId(), name: 'a --> b, "c".pdf', url: '/api/files/1' }],
      },
    },
  );
  return talk;
}

/** Removes the fields that differ between two exports of the same conversation. */
function comparable({ messages, activeLeafId, ...fields }: ExportedConversation) {
  const numbers = new Map(messages.map(({ id }, n) => [id, n]));
  return {
    ...fields,
    exportedAt: '',
    active: numbers.get(activeLeafId ?? ''),
    messages: messages.map(({ parentId, ...message }) => ({
      ...message,
      id: undefined,
      parent: numbers.get(parentId ?? ''),
    })),
  };
}

describe('exporting a conversation', () => {
  it('as JSON has every branch, each message after its parent, and names of files only', async () => {
    const talk = await branched();
    const exported = await json(talk);
    expect(exported).toMatchObject({
      format: 'stolas.conversation',
      version: 1,
      title: 'A talk',
      exportedAt: expect.any(String),
    });
    const seen = new Set<string | null>([null]);
    for (const { id, parentId } of exported.messages) {
      expect(seen).toContain(parentId);
      seen.add(id);
    }
    expect(exported.messages.map(({ role, status }) => status ?? role)).toEqual([
      'user',
      'user',
      'assistant',
      'assistant',
      'failed',
    ]);
    expect(exported.activeLeafId).toBe(exported.messages.at(-1)?.id);
    expect(exported.messages[1]?.files).toEqual(['a --> b, "c".pdf']);
    expect(JSON.stringify(exported)).not.toContain('/api/files');
  });

  it('as Markdown has the active branch with authors and times', async () => {
    const talk = await branched();
    const markdown = await chat.export(talk.actor, talk.id, 'md');
    expect(markdown).toMatch(
      /^<!-- stolas:conversation .+ -->\n# A talk\n\n\*Exported from STOLAS on \d{4}-\d\d-\d\d \d\d:\d\d UTC\*\n/,
    );
    expect(markdown.match(/^## .+$/gm)).toEqual([
      expect.stringMatching(/^## You · \d{4}-\d\d-\d\d \d\d:\d\d UTC$/),
      '## You · now',
      expect.stringMatching(/^## STOLAS · .+ UTC \(failed\)$/),
    ]);
    expect(markdown).toContain('\nFiles: a --> b, "c".pdf\n');
    expect(markdown).not.toContain('What do owls eat?');
  });

  it('has numbers instead of citations, and their places at the end', async () => {
    const talk = await chat.start();
    const { reply } = await talk.say('Cite');
    const fileId = newId();
    const citation = { n: 1, fileId, fileName: 'owls.pdf', page: 3 };
    await chat.model.updateOne(
      { _id: reply.id },
      {
        $set: {
          content: `Owls hoot [1](#source=${fileId},3,0,9).`,
          metadata: { citations: [citation] },
        },
      },
    );
    const text = 'Owls hoot [1].\n\n[1] owls.pdf, page 3\n';
    expect((await json(talk)).messages[1]?.content).toBe(text);
    expect(await chat.export(talk.actor, talk.id, 'md')).toContain(text);
  });

  it('marks a running reply as incomplete', async () => {
    const talk = await chat.start();
    await talk.send('Wait');
    expect((await json(talk)).messages[1]).toMatchObject({ status: 'interrupted' });
  });

  it('names the file after the title, in any script', async () => {
    const actor = actorOf(newId());
    const { id } = await chat.conversations.create(actor, { title: 'Eule/“Uhu”\r\n梟 "x"' });
    const answer = await chat.call(actor.userId, `/conversations/${id}/export?format=md`);
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="Eule__Uhu__ _x_.md"; filename*=UTF-8''${encodeURIComponent('Eule_“Uhu”梟 "x".md')}`,
    );
  });

  it('of another user answers 404 in every notation of the id, and of a deleted one too', async () => {
    const talk = await branched();
    const stranger = newId();
    for (const [token, id] of [
      [stranger, talk.id],
      [stranger, talk.id.toUpperCase()],
      [talk.actor.userId, newId()],
      [talk.actor.userId, 'import'],
      [talk.actor.userId, '%24ne'],
    ] as const)
      for (const format of ['md', 'json'])
        expect(
          (await chat.call(token, `/conversations/${id}/export?format=${format}`)).status,
        ).toBe(404);
    await chat.conversationModel.updateOne({ _id: talk.id }, { $set: { deletedAt: new Date() } });
    const own = await chat.call(talk.actor.userId, `/conversations/${talk.id}/export?format=md`);
    expect(own.status).toBe(404);
  });

  it('in another format is refused', async () => {
    const talk = await chat.start();
    for (const query of ['', '?format=pdf', '?format[$ne]=md']) {
      const answer = await chat.call(talk.actor.userId, `/conversations/${talk.id}/export${query}`);
      expect(answer.status).toBe(422);
    }
  });

  it('reads 512 KB at once, however long its messages are', async () => {
    const actor = actorOf(newId());
    // Only replies may have this length.
    const messages = Array.from({ length: 12 }, (_, n) =>
      message(n, { content: n % 2 === 0 ? 'Go on' : 'x'.repeat(200_000) }),
    );
    const { body } = await chat.import(actor, file(messages));
    const read = vi.spyOn(chat.deps.messages, 'findMany');
    for (const format of ['md', 'json'] as const) await chat.export(actor, body.id, format);
    expect(read.mock.calls.map(([ids]) => ids.length)).toEqual([5, 4, 3, 5, 4, 3]);
    vi.restoreAllMocks();
  });

  it('runs twice at once for a user, and does not block others', async () => {
    const [talk, other] = [await branched(), await branched()];
    const { messages } = chat.deps;
    const find = messages.findMany;
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const read = vi.spyOn(messages, 'findMany').mockImplementation(async (ids, scope) => {
      if (scope.ownerId === talk.actor.userId) await held;
      return find(ids, scope);
    });
    const begin = ({ actor, id }: Talk) =>
      chat.call(actor.userId, `/conversations/${id}/export?format=json`);
    const running = [begin(talk), begin(talk)];
    await expect.poll(() => read.mock.calls.length).toBe(2);
    expect((await begin(talk)).status).toBe(503);
    expect((await begin(other)).status).toBe(200);
    goOn();
    for (const answer of await Promise.all(running)) expect((await answer.text()).at(-2)).toBe('}');
    await expect.poll(async () => (await begin(talk)).status).toBe(200);
    vi.restoreAllMocks();
  });

  it('is visibly cut when a message is gone meanwhile', async () => {
    const talk = await branched();
    const { messages } = chat.deps;
    const find = messages.findMany;
    vi.spyOn(messages, 'findMany').mockImplementation(async (ids, scope) =>
      (await find(ids, scope)).slice(1),
    );
    await expect(chat.export(talk.actor, talk.id, 'json')).rejects.toThrow(TypeError);
    vi.restoreAllMocks();
  });
});

describe('an exported conversation that is imported', () => {
  it('from JSON has the same tree, texts and dates', async () => {
    const talk = await branched();
    const former = await json(talk);
    const { status, body } = await chat.import(talk.actor, former);
    expect([status, body.title]).toEqual([201, 'A talk']);
    const again: ExportedConversation = JSON.parse(await chat.export(talk.actor, body.id, 'json'));
    expect(comparable(again)).toEqual(comparable(former));
    const ids = new Set(former.messages.map(({ id }) => id));
    expect(again.messages.filter(({ id }) => ids.has(id))).toEqual([]);
  });

  it.each(['json', 'md'] as const)('from %s still has the ending of a reply', async (format) => {
    const talk = await chat.start();
    const { reply } = await talk.say('Write a long story');
    await chat.model.updateOne(
      { _id: reply.id },
      { $set: { status: 'complete', ending: 'length', content: 'Once upon' } },
    );
    const former = await chat.export(talk.actor, talk.id, format);
    const { body } = await chat.import(talk.actor, former, { format });
    const imported = await chat.model.findOne({ conversationId: body.id, role: 'assistant' });
    expect(imported).toMatchObject({ status: 'complete', ending: 'length', content: 'Once upon' });
  });

  it('from Markdown has the same branch, letter for letter', async () => {
    const talk = await branched();
    const former = await chat.export(talk.actor, talk.id, 'md');
    const { body } = await chat.import(talk.actor, former, { format: 'md' });
    const again = await chat.export(talk.actor, body.id, 'md');
    const exportedAt = /^\*Exported from .+\*$/m;
    expect(again.replace(exportedAt, '')).toBe(former.replace(exportedAt, ''));
  });

  it('of 5,000 messages is complete, and is read and written by batches', async () => {
    const actor = actorOf(newId());
    const messages = Array.from({ length: 5_000 }, (_, n) => ({
      id: `${n}`,
      parentId: n === 0 ? null : `${n - 1}`,
      role: n % 2 === 0 ? 'user' : 'assistant',
      content: `Text ${n}`,
      createdAt: new Date(1_600_000_000_000 + n).toISOString(),
    }));
    const former = { format: 'stolas.conversation', version: 1, title: 'Long', messages };
    const { body } = await chat.import(actor, former);
    const answer = await chat.call(actor.userId, `/conversations/${body.id}/export?format=json`);
    // A stream has no length.
    expect(answer.headers.get('content-length')).toBeNull();
    const again = (await answer.json()) as ExportedConversation;
    expect(again.messages.map(({ content }) => content)).toEqual(
      messages.map(({ content }) => content),
    );
    expect(again.activeLeafId).toBe(again.messages.at(-1)?.id);
  });
});
