import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aConversation, aUser, type TestCore, testCore } from '../../../test/core.ts';
import type { Actor } from '../../access/index.ts';
import type { Mailer } from '../../mail/index.ts';
import { refreshSubscription } from '../billing/refresh.ts';
import { replaceGrants } from '../chat/conversations/grants.ts';
import { acceptInvitation } from './accept.ts';
import { invite, revoke } from './invitations.ts';
import { mailInvitation } from './mails.ts';
import {
  acceptOwnership,
  changeMember,
  listMembers,
  offerOwnership,
  removeMember,
} from './members.ts';
import { exportWorkspaces, removeAllOf } from './whole.ts';
import { createWorkspace, deleteWorkspace, listWorkspaces, renameWorkspace } from './workspaces.ts';

const SEATS = 3;
const DAY_MS = 86_400_000;

let core: TestCore;
let feature: TestCore['services']['workspaces'];
let owner: Actor;
let workspaceId: string;
let now = new Date();

beforeAll(async () => {
  core = await testCore({ settings: { SEATS_PRO: String(SEATS) }, overrides: { now: () => now } });
  feature = core.services.workspaces;
});

beforeEach(async () => {
  now = new Date();
  owner = await aUser(core, { plan: 'pro' });
  workspaceId = (await createWorkspace(feature, owner, { name: 'Owls' })).id;
});

const newEmail = () => `${randomUUID()}@example.com`;
const inviteTo = (email: string) => invite(feature, owner, { workspaceId, email, role: 'member' });
const workspaceOf = async (actor: Actor) => (await listWorkspaces(feature, actor))[0];

/** Mails an invitation and returns its secret. */
async function mailed(invitationId: string): Promise<string> {
  const texts: string[] = [];
  const mailer: Mailer = {
    send: async ({ text }) => void texts.push(text),
    close: () => undefined,
  };
  await mailInvitation(feature, mailer, { userId: owner.userId, invitationId });
  return /#token=([\w-]+)/.exec(texts[0] ?? '')?.[1] ?? '';
}

async function join(): Promise<Actor> {
  const email = newEmail();
  const user = await aUser(core, { email });
  await acceptInvitation(feature, user, await mailed((await inviteTo(email)).id));
  return user;
}

const endPlan = (ownerId: string) =>
  core.connection
    .collection('subscriptions')
    .deleteOne({ ownerId: core.connection.base.Types.ObjectId.createFromHexString(ownerId) });

it('counts the owner, the members and the open invitations as seats', async () => {
  await join();
  await inviteTo(newEmail());
  expect(await workspaceOf(owner)).toMatchObject({ seats: { included: SEATS, taken: 3 } });
  await expect(inviteTo(newEmail())).rejects.toMatchObject({ code: 'seats_full' });
});

it('gives the seat of a member who left, and of an expired invitation, to another one', async () => {
  const member = await join();
  await removeMember(feature, member, { workspaceId, userId: member.userId });
  await Promise.all([inviteTo(newEmail()), inviteTo(newEmail())]);
  await expect(inviteTo(newEmail())).rejects.toMatchObject({ code: 'seats_full' });
  now = new Date(now.getTime() + 7 * DAY_MS);
  await inviteTo(newEmail());
});

it('frees the seat that a crash left without an invitation', async () => {
  for (const key of ['a', 'b'])
    await feature.workspaces.takeSeat(workspaceId, { key, limit: SEATS, now });
  await expect(inviteTo(newEmail())).rejects.toMatchObject({ code: 'seats_full' });
  now = new Date(now.getTime() + 61_000);
  await inviteTo(newEmail());
});

it('completes an acceptance that was interrupted after each write, with one seat', async () => {
  const email = newEmail();
  const user = await aUser(core, { email });
  const { id } = await inviteTo(email);
  const token = await mailed(id);
  const { memberships, workspaces, invitations } = feature;
  const cut = async () => {
    throw new Error('cut');
  };
  for (const cutAfter of [
    { memberships: { ...memberships, insert: cut } },
    { workspaces: { ...workspaces, moveSeat: cut } },
    { workspaces: { ...workspaces, freeSeat: cut } },
    { invitations: { ...invitations, remove: cut } },
  ]) {
    await expect(acceptInvitation({ ...feature, ...cutAfter }, user, token)).rejects.toThrow('cut');
    // Nobody else takes the seat in between.
    expect(await workspaces.seats(workspaceId)).toHaveLength(2);
  }
  await acceptInvitation(feature, user, token);
  expect((await workspaces.seats(workspaceId)).map(({ key }) => key)).toEqual([
    owner.userId,
    user.userId,
  ]);
  expect(await listMembers(feature, user, workspaceId)).toHaveLength(2);
});

it.each([
  ['invitations', 'accept'],
  ['workspaces', 'moveSeat'],
  ['memberships', 'insert'],
  ['workspaces', 'freeSeat'],
  ['invitations', 'remove'],
] as const)(
  'leaves no member without a seat, and no seat of nobody, when an invitation is revoked before %s.%s of its acceptance',
  async (store, call) => {
    const email = newEmail();
    const user = await aUser(core, { email });
    const { id } = await inviteTo(email);
    const token = await mailed(id);
    const calls = feature[store] as unknown as Record<string, (...given: unknown[]) => unknown>;
    let isRevoked = false;
    const revokeFirst = async (...given: unknown[]) => {
      if (!isRevoked) {
        isRevoked = true;
        await revoke(feature, owner, { id, workspaceId });
      }
      return calls[call]?.(...given);
    };
    const revoking = { ...feature, [store]: { ...calls, [call]: revokeFirst } };
    const refusal = await acceptInvitation(revoking, user, token).catch((error: unknown) => error);
    expect(isRevoked).toBe(true);
    const refused = call === 'accept' ? 'not_found' : undefined;
    expect((refusal as { code?: string }).code).toBe(refused);
    const members = (await listMembers(feature, owner, workspaceId)).map(({ userId }) => userId);
    const seats = (await feature.workspaces.seats(workspaceId)).map(({ key }) => key);
    expect(seats.toSorted()).toEqual(members.toSorted());
    expect(members).toHaveLength(call === 'accept' ? 1 : 2);
  },
);

it('does not let a removed member in again by an acceptance that was interrupted', async () => {
  const email = newEmail();
  const user = await aUser(core, { email });
  const token = await mailed((await inviteTo(email)).id);
  const remove = async () => {
    throw new Error('cut');
  };
  const cut = { ...feature, invitations: { ...feature.invitations, remove } };
  await expect(acceptInvitation(cut, user, token)).rejects.toThrow('cut');
  await removeMember(feature, owner, { workspaceId, userId: user.userId });
  await expect(acceptInvitation(feature, user, token)).rejects.toMatchObject({ code: 'not_found' });
});

it('is read-only when the plan of its owner has ended, but can be left, and opens with a new payment', async () => {
  const [member, open] = [await join(), newEmail()];
  const token = await mailed((await inviteTo(open)).id);
  await endPlan(owner.userId);
  const closed = { code: 'workspace_closed', details: { closed: 'plan', owner: 'Ada' } };
  expect(await workspaceOf(member)).toMatchObject({ closed: 'plan', name: 'Owls' });
  await expect(inviteTo(newEmail())).rejects.toMatchObject({
    ...closed,
    message: 'The plan of Ada has ended. Everything is kept.',
  });
  await expect(
    renameWorkspace(feature, owner, { id: workspaceId, name: 'Hawks' }),
  ).rejects.toMatchObject(closed);
  const invited = await aUser(core, { email: open });
  await expect(acceptInvitation(feature, invited, token)).rejects.toMatchObject(closed);
  expect(await listMembers(feature, member, workspaceId)).toHaveLength(2);
  await removeMember(feature, member, { workspaceId, userId: member.userId });
  await core.connection.collection('subscriptions').insertOne({
    ownerId: core.connection.base.Types.ObjectId.createFromHexString(owner.userId),
    plan: 'pro',
    status: 'active',
    startedAt: now,
  });
  expect(await workspaceOf(owner)).toMatchObject({ closed: null });
});

it('is read-only while its members are more than the seats of a smaller plan', async () => {
  await join();
  await core.connection.collection('subscriptions').updateMany({}, { $set: { plan: 'starter' } });
  expect(await workspaceOf(owner)).toMatchObject({ closed: 'seats', seats: { included: 1 } });
});

it('lets in nobody beyond the seats of a smaller plan, also with an earlier invitation', async () => {
  const email = newEmail();
  const user = await aUser(core, { email });
  const token = await mailed((await inviteTo(email)).id);
  const member = await join();
  const smaller = { ...feature, seatsPro: 2 };
  await expect(acceptInvitation(smaller, user, token)).rejects.toMatchObject({
    code: 'seats_full',
    details: { included: 2 },
  });
  expect(await listMembers(smaller, member, workspaceId)).toHaveLength(2);
  // It works again in the larger plan.
  await acceptInvitation(feature, user, token);
  expect(await listMembers(feature, owner, workspaceId)).toHaveLength(3);
});

it('erases what a user has in workspaces, and keeps what belongs to others', async () => {
  const member = await join();
  const theirs = await aUser(core, { plan: 'pro' });
  await createWorkspace(feature, theirs, { name: 'Theirs' });
  await removeAllOf(feature, member.userId);
  expect(await listMembers(feature, owner, workspaceId)).toHaveLength(1);
  expect(await feature.workspaces.seats(workspaceId)).toHaveLength(1);
  await inviteTo(newEmail());
  for (const _ of [1, 2]) await removeAllOf(feature, owner.userId);
  expect(await listWorkspaces(feature, owner)).toEqual([]);
  expect(await feature.invitations.ofInviter(owner.userId)).toEqual([]);
  expect(await workspaceOf(theirs)).toMatchObject({ name: 'Theirs' });
});

it('takes back what is shared with a member who leaves in that moment', async () => {
  const member = await join();
  const { id } = await aConversation(core, owner);
  const { chat } = core.services;
  let hasLeft = false;
  const colleagues = async (userId: string) => {
    const found = await feature.colleagues(userId);
    if (!hasLeft) await removeMember(feature, member, { workspaceId, userId: member.userId });
    hasLeft = true;
    return found;
  };
  const workspaces = { ...chat.others.workspaces, colleagues };
  const shared = replaceGrants({ ...chat, others: { ...chat.others, workspaces } }, owner, {
    id,
    grants: [{ userId: member.userId, role: 'viewer' }],
  });
  await expect(shared).rejects.toMatchObject({ code: 'invalid_field' });
  expect(await chat.conversations.find({ id, ownerId: owner.userId })).toMatchObject({
    grants: [],
  });
});

it('lets the tabs of a new member, and of one with another role, read again what is shared', async () => {
  const readAgainBy = () =>
    core.events
      .splice(0)
      .flatMap(({ userId, event }) => (event === 'access:changed' ? userId : []));
  readAgainBy();
  const member = await join();
  expect(readAgainBy()).toEqual([member.userId]);
  const key = { workspaceId, userId: member.userId };
  await changeMember(feature, owner, { ...key, role: 'viewer' });
  expect(readAgainBy()).toEqual([member.userId]);
  await changeMember(feature, owner, { ...key, cap: 1_000 });
  expect(readAgainBy()).toEqual([]);
});

it('lets the tabs of all members read again what they may change, when the workspace may be read-only or open again', async () => {
  const [member, other] = [await join(), await join()];
  const readAgainBy = () => {
    const events = core.events.splice(0);
    const usersOf = (name: string) =>
      events.flatMap(({ userId, event }) => (event === name ? userId : [])).toSorted();
    expect(usersOf('workspace:changed')).toEqual(expect.arrayContaining(usersOf('access:changed')));
    return usersOf('access:changed');
  };
  const all = [owner, member, other].map(({ userId }) => userId).toSorted();
  readAgainBy();
  await endPlan(owner.userId);
  await refreshSubscription(core.services.billing, owner.userId);
  expect(readAgainBy()).toEqual(all);
  await feature.memberships.change({ workspaceId, userId: member.userId }, { role: 'admin' });
  await offerOwnership(feature, owner, { workspaceId, userId: member.userId });
  readAgainBy();
  await acceptOwnership(feature, member, workspaceId);
  expect(readAgainBy()).toEqual(all);
  await removeMember(feature, member, { workspaceId, userId: other.userId });
  expect([...new Set(readAgainBy())]).toEqual(all);
});

it('leaves the cap of an admin who cannot take over the ownership, as the owner of another workspace', async () => {
  const admin = await aUser(core, { plan: 'pro' });
  await createWorkspace(feature, admin, { name: 'Own' });
  const key = { workspaceId, userId: admin.userId };
  await feature.memberships.insert({ ...key, role: 'admin', joinedAt: now });
  await changeMember(feature, owner, { ...key, cap: 1_000 });
  await offerOwnership(feature, owner, key);
  await expect(acceptOwnership(feature, admin, workspaceId)).rejects.toMatchObject({
    code: 'already_owner',
  });
  expect(await feature.memberships.find(key)).toMatchObject({ cap: 1_000 });
});

it('does not let a member who is removed during the acceptance join again by the domain', async () => {
  const email = newEmail();
  const user = await aUser(core, { email });
  const token = await mailed((await inviteTo(email)).id);
  const { memberships, workspaces } = feature;
  const domain = `${randomUUID()}.example`;
  await workspaces.setDomains({ id: workspaceId, ownerId: owner.userId }, [domain]);
  const insert = async (...membership: Parameters<typeof memberships.insert>) => {
    const isNew = await memberships.insert(...membership);
    await removeMember(feature, owner, { workspaceId, userId: user.userId });
    return isNew;
  };
  await acceptInvitation({ ...feature, memberships: { ...memberships, insert } }, user, token);
  expect(await workspaces.findByDomain(domain, { except: user.userId })).toBeNull();
});

it('takes back what is shared between members while their workspace is deleted', async () => {
  const [one, other] = [await join(), await join()];
  const { id } = await aConversation(core, one);
  const { chat } = core.services;
  const remove = async (...key: Parameters<typeof feature.workspaces.remove>) => {
    await replaceGrants(chat, one, { id, grants: [{ userId: other.userId, role: 'viewer' }] });
    return feature.workspaces.remove(...key);
  };
  const workspaces = { ...feature.workspaces, remove };
  await deleteWorkspace({ ...feature, workspaces }, owner, workspaceId);
  expect(await chat.conversations.find({ id, ownerId: one.userId })).toMatchObject({ grants: [] });
});

describe('a deletion that meets the acceptance of the ownership', () => {
  let admin: Actor;
  beforeEach(async () => {
    admin = await join();
    const key = { workspaceId, userId: admin.userId };
    await changeMember(feature, owner, { ...key, role: 'admin' });
    await offerOwnership(feature, owner, key);
  });
  const accept = () => acceptOwnership(feature, admin, workspaceId);

  it('wins once it has begun', async () => {
    const { chat } = feature.others;
    const answers: unknown[] = [];
    const endGrants = async (...end: Parameters<typeof chat.endGrants>) => {
      if (answers.length === 0) answers.push(await accept().catch((error: unknown) => error));
      await chat.endGrants(...end);
    };
    const others = { ...feature.others, chat: { ...chat, endGrants } };
    await deleteWorkspace({ ...feature, others }, owner, workspaceId);
    expect(answers).toMatchObject([{ code: 'not_found' }]);
    expect(await listWorkspaces(feature, admin)).toEqual([]);
  });

  it('is refused after it, and the members stay', async () => {
    const { workspaces } = feature;
    const find = async (id: string) => {
      const found = await workspaces.find(id);
      if (found?.ownerId === owner.userId) await accept();
      return found;
    };
    const racing = { ...feature, workspaces: { ...workspaces, find } };
    await expect(deleteWorkspace(racing, owner, workspaceId)).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(await listMembers(feature, admin, workspaceId)).toHaveLength(2);
  });
});

it('exports workspaces and sent invitations without secrets', async () => {
  const email = newEmail();
  await mailed((await inviteTo(email)).id);
  const exported = await exportWorkspaces(feature, owner.userId);
  expect(exported).toMatchObject({
    workspaces: [{ id: workspaceId, name: 'Owls', role: 'owner' }],
    invitations: [{ workspaceId, email, role: 'member' }],
  });
  expect(JSON.stringify(exported)).not.toContain('token');
});
