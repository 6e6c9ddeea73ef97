import { Types } from 'mongoose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aUser, type TestCore, testCore } from '../../../test/core.ts';
import type { Actor } from '../../access/index.ts';
import { joinByDomain, listJoinable, setDomains } from './domains.ts';
import { invite, listInvitations } from './invitations.ts';
import { acceptOwnership, listMembers, offerOwnership, removeMember } from './members.ts';
import { createWorkspace, listWorkspaces } from './workspaces.ts';

let core: TestCore;
let feature: TestCore['services']['workspaces'];
let owner: Actor;
let id: string;
let domain: string;

beforeAll(async () => {
  core = await testCore({ settings: { SEATS_PRO: '3' } });
  feature = core.services.workspaces;
});

const change = (userId: string, fields: object) =>
  core.connection
    .collection('users')
    .updateOne({ _id: Types.ObjectId.createFromHexString(userId) }, { $set: fields });
let count = 0;
async function userAt(
  host: string,
  { verified = true, plan }: { verified?: boolean; plan?: 'pro' } = {},
) {
  count += 1;
  const user = await aUser(core, { email: `u${count}@${host}`, ...(plan && { plan }) });
  await change(user.userId, { emailVerified: verified });
  return user;
}

beforeEach(async () => {
  count += 1;
  domain = `owls${count}.example`;
  owner = await userAt(domain, { plan: 'pro' });
  id = (await createWorkspace(feature, owner, { name: 'Owls' })).id;
});

const allow = (...domains: string[]) => setDomains(feature, owner, { id, domains });
const join = (actor: Actor) => joinByDomain(feature, actor, id);

it('lets verified addresses of exactly the domain join, as members with a seat', async () => {
  await allow(domain.toUpperCase());
  expect((await listWorkspaces(feature, owner))[0]).toMatchObject({ join: { domain, isOn: true } });
  const user = await userAt(domain);
  expect(await listJoinable(feature, user)).toEqual([{ id, name: 'Owls', full: false }]);
  for (const other of [
    await userAt(`sub.${domain}`),
    await userAt(`x${domain}`),
    await userAt(domain, { verified: false }),
  ]) {
    expect(await listJoinable(feature, other)).toEqual([]);
    await expect(join(other)).rejects.toMatchObject({ code: 'not_found' });
  }
  expect(await join(user)).toEqual({ workspaceId: id, wasMember: false });
  expect(core.events).toContainEqual({
    userId: user.userId,
    event: 'access:changed',
    payload: { conversationId: null },
  });
  expect(await join(user)).toEqual({ workspaceId: id, wasMember: true });
  expect(await listJoinable(feature, user)).toEqual([]);
  expect(await listMembers(feature, user, id)).toMatchObject([
    { role: 'owner' },
    { role: 'member' },
  ]);
  expect((await listWorkspaces(feature, user))[0]).not.toHaveProperty('join');
});

it('gives no more than the free seats, whoever comes at once', async () => {
  await allow(domain);
  const users = await Promise.all([1, 2, 3, 4].map(() => userAt(domain)));
  const results = await Promise.allSettled([...users, ...users].map(join));
  const failed = results.filter(({ status }) => status === 'rejected');
  for (const one of failed) expect(one).toMatchObject({ reason: { code: 'seats_full' } });
  expect(await listMembers(feature, owner, id)).toHaveLength(3);
  expect(await feature.workspaces.seats(id)).toHaveLength(3);
});

it('is offered as full while open invitations take the last seats', async () => {
  await allow(domain);
  const user = await userAt(domain);
  for (const n of [1, 2])
    await invite(feature, owner, {
      workspaceId: id,
      email: `guest${n}@${domain}`,
      role: 'member',
    });
  expect(await listJoinable(feature, user)).toEqual([{ id, name: 'Owls', full: true }]);
  await expect(join(user)).rejects.toMatchObject({ code: 'seats_full' });
});

it('a join that was interrupted after the seat is completed by the next one', async () => {
  await allow(domain);
  const user = await userAt(domain);
  const insert = () => Promise.reject(new Error('cut'));
  const cut = { ...feature, memberships: { ...feature.memberships, insert } };
  await expect(joinByDomain(cut, user, id)).rejects.toThrow('cut');
  await join(user);
  expect(await feature.workspaces.seats(id)).toHaveLength(2);
});

it('refuses public hosts, wildcards, domains of others, and a domain without the owner', async () => {
  const refused = { code: 'invalid_field', details: { field: 'domains' } };
  for (const wrong of ['gmail.com', `*.${domain}`, `sub.${domain}`, 'example.com', 'a b'])
    await expect(allow(wrong)).rejects.toMatchObject(refused);
  await change(owner.userId, { emailVerified: false });
  await expect(allow(domain)).rejects.toMatchObject(refused);
  await change(owner.userId, { emailVerified: true });
  const other = await userAt(domain, { plan: 'pro' });
  const theirs = await createWorkspace(feature, other, { name: 'Others' });
  const both = await Promise.allSettled([
    allow(domain),
    setDomains(feature, other, { id: theirs.id, domains: [domain] }),
  ]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

it('leaves a workspace whose owner has no verified address in it, when another one claims it', async () => {
  await allow(domain);
  const other = await userAt(domain, { plan: 'pro' });
  const theirs = await createWorkspace(feature, other, { name: 'Others' });
  const claim = () => setDomains(feature, other, { id: theirs.id, domains: [domain] });
  await expect(claim()).rejects.toMatchObject({ code: 'invalid_field' });
  const admin = await userAt('elsewhere.example', { plan: 'pro' });
  const membership = { workspaceId: id, userId: admin.userId };
  await feature.memberships.insert({ ...membership, role: 'admin', joinedAt: core.now() });
  await offerOwnership(feature, owner, membership);
  await acceptOwnership(feature, admin, id);
  await claim();
  const user = await userAt(domain);
  expect(await listJoinable(feature, user)).toMatchObject([{ id: theirs.id }]);
  expect(await feature.workspaces.find(id)).toMatchObject({ domains: [] });
  expect((await listWorkspaces(feature, other))[0]).toMatchObject({ join: { domain, isOn: true } });
});

describe('a member whom an admin removes', () => {
  let user: Actor;
  const remove = () => removeMember(feature, owner, { workspaceId: id, userId: user.userId });
  beforeEach(async () => {
    await allow(domain);
    user = await userAt(domain);
  });

  it('does not come back by a request that was made before', async () => {
    await join(user);
    const find = async () => {
      await remove();
      return null;
    };
    const crossed = { ...feature, memberships: { ...feature.memberships, find } };
    await expect(joinByDomain(crossed, user, id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await listMembers(feature, owner, id)).toHaveLength(1);
    expect(await feature.workspaces.seats(id)).toHaveLength(1);
  });

  it('does not come back by an invitation from before they joined', async () => {
    await invite(feature, owner, { workspaceId: id, email: `u${count}@${domain}`, role: 'member' });
    await invite(feature, owner, { workspaceId: id, email: `x@${domain}`, role: 'member' });
    const membership = { workspaceId: id, userId: user.userId };
    await feature.memberships.insert({ ...membership, role: 'member', joinedAt: core.now() });
    await remove();
    expect(await listInvitations(feature, owner, id)).toMatchObject([{ email: `x@${domain}` }]);
    expect(await feature.workspaces.seats(id)).toHaveLength(2);
    await invite(feature, owner, { workspaceId: id, email: `u${count}@${domain}`, role: 'member' });
  });
});

it('compares international domains by their ASCII form', async () => {
  const german = `eulen-süd${count}.example`;
  const ascii = `xn--eulen-sd${count}`;
  await change(owner.userId, { email: `ada@${new URL(`https://${german}`).hostname}` });
  await allow(german);
  const [stored] = await listWorkspaces(feature, owner);
  expect(stored?.join?.domain.startsWith(ascii.slice(0, 4))).toBe(true);
  expect(stored?.join?.isOn).toBe(true);
});

it('ends with the domain, the owner’s address or a removal; the members stay', async () => {
  await allow(domain);
  const [first, second] = [await userAt(domain), await userAt(domain)];
  await join(first);
  await change(owner.userId, { email: 'ada@elsewhere.example' });
  expect(await listJoinable(feature, second)).toEqual([]);
  await change(owner.userId, { email: `ada@${domain}` });
  await removeMember(feature, owner, { workspaceId: id, userId: first.userId });
  await expect(join(first)).rejects.toMatchObject({ code: 'not_found' });
  await join(second);
  await change(second.userId, { email: 'grace@elsewhere.example' });
  await allow();
  expect(await listMembers(feature, second, id)).toHaveLength(2);
  expect(await listJoinable(feature, await userAt(domain))).toEqual([]);
});
