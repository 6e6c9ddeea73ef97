// The conditions of the stores' queries, each with a record that it must not match.

import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId, openMemory, type Rig } from './memory.fixture.ts';
import type { MemoryRecord } from './record.ts';

let rig: Rig;
let user: string;
let other: string;
beforeAll(async () => {
  rig = await openMemory();
});
beforeEach(() => {
  [user, other] = [newId(), newId()];
});

const AT = new Date('2026-03-10T09:00:00Z');
const causeOf = (replyId: string | null = null) =>
  ({ op: 'add', actor: 'model', replyId, at: AT }) as const;

/** A stored memory, with its first event. */
async function planted(ownerId: string, { replyId = null as string | null, id = newId() } = {}) {
  const whose = { ownerId, scope: 'user', scopeId: null, source: null, supersedes: null } as const;
  const what = { id, kind: 'fact', text: 'I keep bees', state: 'active', reason: null } as const;
  const memory = await rig.memories.insert({ ...whose, ...what }, causeOf(replyId));
  if (memory) await rig.events.append(memory.lastEvent);
  return memory;
}
const mine = async (replyId?: string) => (await planted(user, { replyId })) as MemoryRecord;
const theirs = async (replyId?: string) => (await planted(other, { replyId })) as MemoryRecord;
const find = ({ id, ownerId }: MemoryRecord) => rig.memories.find(id, ownerId);
const gone = { text: '', state: 'deleted' } as const;

describe('memories', () => {
  it('are inserted once; another error is not taken for a memory that exists', async () => {
    const { id } = await mine();
    expect(await planted(user, { id })).toBeNull();
    await expect(planted('no id')).rejects.toThrow('Cast to ObjectId failed');
  });

  it('are counted by owner, deleted ones left out', async () => {
    await theirs();
    const first = await mine();
    await mine();
    expect(await rig.memories.count(user)).toBe(2);
    await rig.memories.change(first, gone, causeOf());
    expect(await rig.memories.count(user)).toBe(1);
  });

  it('change in the named version of the owner only', async () => {
    const memory = await mine();
    const change = { text: 'I keep owls' };
    expect(await rig.memories.change({ ...memory, ownerId: other }, change, causeOf())).toBeNull();
    expect(await rig.memories.change({ ...memory, version: 2 }, change, causeOf())).toBeNull();
    expect(await find(memory)).toEqual(memory);
  });

  it('are marked from their deletion until their events are erased, and by no one else', async () => {
    const [memory, kept] = [await mine(), await mine()];
    const isMarked = async () =>
      (await rig.memories.erasing(1_000)).some(({ id }) => id === memory.id);
    expect(await isMarked()).toBe(false);
    await rig.memories.change(memory, gone, causeOf());
    await rig.memories.markErased([memory.id], other);
    expect(await isMarked()).toBe(true);
    expect((await rig.memories.erasing(1_000)).map(({ id }) => id)).not.toContain(kept.id);
    await rig.memories.markErased([memory.id], user);
    expect(await isMarked()).toBe(false);
  });

  it('are found by the reply that changed them last, for their owner', async () => {
    const replyId = newId();
    await Promise.all([theirs(replyId), mine(newId()), mine()]);
    const memory = await mine(replyId);
    expect(await rig.memories.changedBy(replyId, user)).toEqual([memory]);
  });

  it('are removed for one owner', async () => {
    const [kept] = [await theirs(), await mine()];
    await rig.memories.removeAllOf(user);
    expect(await find(kept)).toEqual(kept);
    expect(await rig.memories.count(user)).toBe(0);
  });
});

describe('events', () => {
  const textsOf = async ({ id, ownerId }: MemoryRecord) =>
    (await rig.events.ofMemory(id, ownerId)).map(({ after }) => after.text);

  it('stay unchanged when they are added again', async () => {
    const memory = await mine();
    const { lastEvent } = memory;
    await rig.events.append({ ...lastEvent, after: { ...lastEvent.after, text: 'I keep owls' } });
    expect(await textsOf(memory)).toEqual(['I keep bees']);
  });

  it('are read by memory and by reply, for their owner', async () => {
    const replyId = newId();
    const [memory] = [await mine(replyId), await theirs(replyId), await mine(newId())];
    expect(await rig.events.ofMemory(memory.id, user)).toEqual([memory.lastEvent]);
    expect(await rig.events.ofMemory(memory.id, other)).toEqual([]);
    expect(await rig.events.ofReply(replyId, user)).toEqual([memory.lastEvent]);
  });

  it('are emptied for the named memories of the owner', async () => {
    const [memory, kept] = [await mine(), await mine()];
    await rig.events.blank([memory.id], other);
    expect(await textsOf(memory)).toEqual(['I keep bees']);
    await rig.events.blank([memory.id], user);
    expect(await textsOf(memory)).toEqual(['']);
    expect(await textsOf(kept)).toEqual(['I keep bees']);
  });

  it('are removed for one owner', async () => {
    const [kept, memory] = [await theirs(), await mine()];
    await rig.events.removeAllOf(user);
    expect(await textsOf(kept)).toEqual(['I keep bees']);
    expect(await textsOf(memory)).toEqual([]);
  });
});

it('the time of erasing everything never decreases', async () => {
  const later = new Date(AT.getTime() + 1_000);
  await rig.forgettings.set(user, later);
  await rig.forgettings.set(user, AT);
  expect(await rig.forgettings.find(user)).toEqual(later);
});

it('the time of erasing everything is removed for one owner', async () => {
  await rig.forgettings.set(other, AT);
  await rig.forgettings.set(user, AT);
  await rig.forgettings.removeAllOf(user);
  expect(await rig.forgettings.find(user)).toBeNull();
  expect(await rig.forgettings.find(other)).toEqual(AT);
});
