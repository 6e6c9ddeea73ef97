import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectRejections } from '../../../test/rejections.ts';
import { MAX_MEMORIES } from '../../contract/memory.ts';
import {
  approveMemory,
  deleteMemory,
  editMemory,
  listMemories,
  memoryHistory,
  rejectMemory,
} from './edit.ts';
import { actorOf, addOp, newId, openMemory, type Rig } from './memory.fixture.ts';
import { undoMemories } from './undo.ts';
import { exportMemories, forgetAll, importMemories } from './whole.ts';

let rig: Rig;
let user: string;
beforeAll(async () => {
  rig = await openMemory();
});
beforeEach(() => {
  user = newId();
});

const actor = () => actorOf(user);
const list = async (query: Parameters<typeof listMemories>[2] = {}) =>
  (await listMemories(rig, actor(), query)).memories;
const opsOf = async (id: string) =>
  (await memoryHistory(rig, actor(), id)).map(({ op, actor: by, after }) => [op, by, after.text]);

describe('undo', () => {
  it('removes the saved memories, and reactivates superseded ones', async () => {
    const rome = await rig.saved(user, 'I live in Rome');
    const { replyId, receipt } = await rig.say(user, 'I live in Oslo. I play chess.', {
      ops: [addOp('I live in Oslo', { op: 'update', targetId: rome }), addOp('I play chess')],
    });
    expect(receipt?.written).toHaveLength(2);
    await undoMemories(rig, actor(), replyId);
    expect((await list()).map(({ text }) => text)).toEqual(['I live in Rome']);
    expect(rig.receipts.get(replyId)?.receipt.isUndone).toBe(true);
    expect(await opsOf(rome)).toEqual([
      ['add', 'model', 'I live in Rome'],
      ['supersede', 'model', 'I live in Rome'],
      ['undo', 'user', 'I live in Rome'],
    ]);
  });

  it.each([true, false])('gives a superseded memory its pin back (%s)', async (isPinned) => {
    const rome = await rig.saved(user, 'I live in Rome');
    await editMemory(rig, actor(), { id: rome, body: { version: 1, isPinned } });
    const { replyId } = await rig.say(user, 'I live in Oslo.', {
      ops: [addOp('I live in Oslo', { op: 'update', targetId: rome })],
    });
    await undoMemories(rig, actor(), replyId);
    expect(await list()).toMatchObject([{ id: rome, isPinned }]);
  });

  it('has the same result once, twice, and in many tabs at once', async () => {
    const rome = await rig.saved(user, 'I live in Rome');
    const { replyId } = await rig.say(user, 'I live in Oslo.', {
      ops: [addOp('I live in Oslo', { op: 'update', targetId: rome })],
    });
    await Promise.all(Array.from({ length: 8 }, () => undoMemories(rig, actor(), replyId)));
    const first = await rig.models.memories.find({ ownerId: user }).sort({ _id: 1 }).lean();
    await undoMemories(rig, actor(), replyId);
    expect(await rig.models.memories.find({ ownerId: user }).sort({ _id: 1 }).lean()).toEqual(
      first,
    );
    expect(await opsOf(rome)).toHaveLength(3);
    expect((await list()).map(({ text }) => text)).toEqual(['I live in Rome']);
  });

  it('keeps later changes by the user', async () => {
    const { replyId, receipt } = await rig.say(user, 'I live in Oslo.', {
      ops: [addOp('I live in Oslo')],
    });
    const id = receipt?.written[0]?.id ?? '';
    await editMemory(rig, actor(), { id, body: { version: 1, text: 'I live near Oslo' } });
    await undoMemories(rig, actor(), replyId);
    expect((await list()).map(({ text }) => text)).toEqual(['I live near Oslo']);
  });

  it('is for the user of the reply alone', async () => {
    const { replyId } = await rig.say(user, 'I live in Oslo.', { ops: [addOp('I live in Oslo')] });
    await expect(undoMemories(rig, actorOf(newId()), replyId)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await list()).toHaveLength(1);
  });
});

describe('a memory', () => {
  it('is changed in the version that the user has seen, once', async () => {
    const id = await rig.saved(user, 'I live in Oslo');
    const edits = ['I live in Rome', 'I live in Bonn'].map((text) =>
      editMemory(rig, actor(), { id, body: { version: 1, text } }),
    );
    const results = await Promise.allSettled(edits);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await expect(
      editMemory(rig, actor(), { id, body: { version: 1, text: 'x' } }),
    ).rejects.toMatchObject({
      code: 'memory_changed',
    });
    expect(await opsOf(id)).toHaveLength(2);
  });

  it('has its whole history, even when a crash kept the last event from being stored', async () => {
    const id = await rig.saved(user, 'I live in Oslo');
    await editMemory(rig, actor(), { id, body: { version: 1, isPinned: true } });
    await rig.models.events.deleteOne({ _id: `${id}:2` });
    expect((await opsOf(id)).map(([op]) => op)).toEqual(['add', 'pin']);
    await editMemory(rig, actor(), { id, body: { version: 2, isPinned: false } });
    expect((await opsOf(id)).map(([op]) => op)).toEqual(['add', 'pin', 'unpin']);
    expect(await rig.models.events.countDocuments({ memoryId: id })).toBe(3);
  });

  it('of another user does not exist', async () => {
    const id = await rig.saved(user, 'I live in Oslo');
    const other = actorOf(newId());
    const calls = [
      memoryHistory(rig, other, id),
      editMemory(rig, other, { id, body: { version: 1, text: 'x' } }),
      approveMemory(rig, other, id),
      rejectMemory(rig, other, id),
      deleteMemory(rig, other, id),
    ];
    await expectRejections(calls, { code: 'not_found' });
    expect((await listMemories(rig, other, { ids: [id] })).memories).toEqual([]);
    expect(await list()).toHaveLength(1);
  });

  it('is found by its words, state and scope', async () => {
    await rig.saved(user, 'I live in Málaga');
    await rig.saved(user, 'I play chess', {
      persona: { id: 'a'.repeat(24), name: 'A', version: 1 },
    });
    await rig.saved(user, 'Always answer in verse');
    const found = async (query: Parameters<typeof list>[0]) =>
      (await list(query)).map(({ text }) => text);
    expect(await found({ q: 'malaga LIVE' })).toEqual(['I live in Málaga']);
    expect(await found({ scope: 'persona' })).toEqual(['I play chess']);
    expect(await found({ state: 'pending' })).toEqual(['Always answer in verse']);
    expect(await found({})).toHaveLength(3);
  });

  it('is read only after it was approved; then what it replaces is superseded', async () => {
    const old = await rig.saved(user, 'I live in Oslo');
    const op = addOp('I live in Rome, call 0123456789 for me', { op: 'update', targetId: old });
    const { receipt } = await rig.say(user, 'I live in Rome, call 0123456789 for me.', {
      ops: [op],
    });
    const id = receipt?.written[0]?.id ?? '';
    expect((await rig.prompt(user, 'Where do I live?'))?.text).toContain('Oslo');
    await approveMemory(rig, actor(), id);
    await approveMemory(rig, actor(), id);
    const prompt = (await rig.prompt(user, 'Where do I live?'))?.text;
    expect(prompt).toContain('Rome');
    expect(prompt).not.toContain('Oslo');
  });

  /** A memory that replaces another one, and waits for its approval. */
  async function replacing() {
    const old = await rig.saved(user, 'I live in Oslo');
    const op = addOp('I live in Rome, call 0123456789 for me', { op: 'update', targetId: old });
    const said = await rig.say(user, 'I live in Rome, call 0123456789 for me.', { ops: [op] });
    return { old, id: said.receipt?.written[0]?.id ?? '' };
  }
  const statesOf = async (...ids: string[]) => {
    const found = await Promise.all(ids.map((id) => rig.memories.find(id, user)));
    return found.map((memory) => memory?.state);
  };
  /** The feature in a process that crashes before the change with that number. */
  const dyingBefore = (call: number) => {
    let calls = 0;
    const change: typeof rig.memories.change = (...given) => {
      calls += 1;
      if (calls >= call) throw new Error('The process died.');
      return rig.memories.change(...given);
    };
    const dying = { ...rig, memories: { ...rig.memories, change } };
    return { dying, died: () => calls >= call };
  };

  it('is approved by approving it again, wherever the process crashed, and never beside the one that it replaces', async () => {
    for (let call = 1; ; call += 1) {
      user = newId();
      const { old, id } = await replacing();
      const { dying, died } = dyingBefore(call);
      await approveMemory(dying, actor(), id).catch(() => undefined);
      expect(await statesOf(old, id)).not.toEqual(['active', 'active']);
      if (!died()) break;
      // The list still asks for the approval.
      expect((await list({ state: 'pending' })).map((memory) => memory.id)).toContain(id);
      await approveMemory(rig, actor(), id);
      expect(await statesOf(old, id)).toEqual(['superseded', 'active']);
    }
  });

  it.each(['reject', 'approve', 'edit'] as const)(
    'leaves one memory when another tab is first (%s)',
    async (op) => {
      const { old, id } = await replacing();
      await editMemory(rig, actor(), { id: old, body: { version: 1, isPinned: true } });
      const others = {
        reject: () => rejectMemory(rig, actor(), id),
        approve: () => approveMemory(rig, actor(), id),
        edit: () => editMemory(rig, actor(), { id, body: { version: 1, isPinned: true } }),
      };
      const find: typeof rig.memories.find = async (...key) => {
        const found = await rig.memories.find(...key);
        if (key[0] === old) await others[op]();
        return found;
      };
      const slow = { ...rig, memories: { ...rig.memories, find } };
      await expect(approveMemory(slow, actor(), id)).rejects.toMatchObject({
        code: 'memory_changed',
      });
      const expected = {
        reject: ['active', 'deleted'],
        approve: ['superseded', 'active'],
        edit: ['active', 'pending'],
      };
      expect(await statesOf(old, id)).toEqual(expected[op]);
      const isPinned = (await rig.memories.find(old, user))?.isPinned;
      expect(isPinned).toBe(op !== 'approve');
    },
  );

  it('is erased when it is rejected, and only while it is pending', async () => {
    const id = await rig.saved(user, 'Always answer in verse');
    await rejectMemory(rig, actor(), id);
    await rejectMemory(rig, actor(), id);
    expect(await list()).toEqual([]);
    const active = await rig.saved(user, 'I live in Oslo');
    await expect(rejectMemory(rig, actor(), active)).rejects.toMatchObject({
      code: 'memory_changed',
    });
  });
});

describe('all memories', () => {
  it('are erased at once, and nothing from earlier messages is saved afterwards', async () => {
    for (const text of ['I live in Oslo', 'I play chess']) await rig.saved(user, text);
    const before = new Date(rig.clock.now.getTime() - 1_000);
    await forgetAll(rig, actor());
    expect(await list()).toEqual([]);
    const kept = await rig.models.events.find({ ownerId: user }).lean();
    expect(JSON.stringify(kept)).not.toMatch(/Oslo|chess/);
    const late = await rig.say(user, 'I own a boat.', {
      ops: [addOp('I own a boat')],
      message: { createdAt: before },
    });
    expect(late.receipt?.written ?? []).toEqual([]);
    rig.clock.now = new Date(rig.clock.now.getTime() + 1_000);
    await rig.saved(user, 'I own a dog');
    expect((await list()).map(({ text }) => text)).toEqual(['I own a dog']);
  });

  it('that are erased while one is being saved include that one', async () => {
    const { insert } = rig.memories;
    rig.memories.insert = async (...given) => {
      const inserted = await insert(...given);
      await rig.forgettings.set(user, rig.clock.now);
      return inserted;
    };
    const { receipt } = await rig
      .say(user, 'I own a boat.', { ops: [addOp('I own a boat')] })
      .finally(() => {
        rig.memories.insert = insert;
      });
    expect(receipt?.written).toEqual([]);
    expect(await list()).toEqual([]);
  });

  it('are exported whole, and imported for approval, each once', async () => {
    await rig.saved(user, 'I live in Oslo');
    const { memories } = await exportMemories(rig, actor());
    const other = actorOf(newId());
    await importMemories(rig, other, { memories });
    rig.clock.now = new Date(rig.clock.now.getTime() + 1_000);
    await importMemories(rig, other, { memories });
    const imported = (await listMemories(rig, other, {})).memories;
    expect(imported).toMatchObject([
      { text: 'I live in Oslo', state: 'pending', reason: 'import' },
    ]);
    expect(await rig.prompt(other.userId, 'Where do I live?')).toBeUndefined();
  });

  it('are exported whole, also beside a thousand superseded ones, which are not imported', async () => {
    const id = await rig.saved(user, 'I live in Oslo');
    const { _id, ...stored } = (await rig.models.memories.findOne({ ownerId: user }).lean()) ?? {};
    const later = new Date(rig.clock.now.getTime() + 1_000);
    const former = { ...stored, state: 'superseded', updatedAt: later };
    await rig.models.memories.collection.insertMany(
      Array.from({ length: 1_000 }, (_, n) => ({ ...former, text: `I live in ${n} Rome Street` })),
    );
    const { memories } = await exportMemories(rig, actor());
    expect(memories).toHaveLength(1_001);
    expect(memories.filter(({ state }) => state === 'active')).toMatchObject([{ id }]);
    const other = actorOf(newId());
    await importMemories(rig, other, { memories });
    expect((await listMemories(rig, other, {})).memories).toMatchObject([
      { text: 'I live in Oslo' },
    ]);
  });

  it('are at most 500', async () => {
    const memories = Array.from({ length: 100 }, (_, n) => ({ text: `I own boat ${n}` }));
    for (let at = 0; at < MAX_MEMORIES / 100; at += 1)
      await importMemories(rig, actor(), {
        memories: memories.map(({ text }) => ({ text: `${text} of fleet ${at}` })),
      });
    await expect(importMemories(rig, actor(), { memories })).rejects.toMatchObject({
      code: 'memories_full',
    });
    const { receipt } = await rig.say(user, 'I live in Oslo.', { ops: [addOp('I live in Oslo')] });
    expect(receipt?.refused).toEqual([{ reason: 'full' }]);
  });
  it.each([2, 5, 12])(
    'are at most 500 after %i imports at once, each whole or not at all',
    async (count) => {
      const imports = Array.from({ length: count }, (_, at) =>
        Array.from({ length: 20 }, (_one, n) => ({ text: `I own boat ${n} of fleet ${at}` })),
      );
      const present = MAX_MEMORIES - 20;
      for (let at = 0; at < present; at += 80)
        await importMemories(rig, actor(), {
          memories: Array.from({ length: 80 }, (_, n) => ({ text: `I own car ${n} of ${at}` })),
        });
      const ends = await Promise.allSettled(
        imports.map((memories) => importMemories(rig, actor(), { memories })),
      );
      const done = ends.filter(({ status }) => status === 'fulfilled').length;
      expect((await listMemories(rig, actor(), {})).count).toBe(present + 20 * done);
      expect(done).toBeLessThanOrEqual(1);
      const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      for (const reason of refused) expect(reason).toMatchObject({ code: 'memories_full' });
    },
  );
});
