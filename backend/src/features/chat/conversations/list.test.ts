import { expect, it } from 'vitest';
import { aConversation, aUser, testCore } from '../../../../test/core.ts';
import { readShared } from './list.ts';

it('what others share is read last updated first over all workspaces, without what the reader shares', async () => {
  const core = await testCore();
  const { chat } = core.services;
  const [ada, grace] = [await aUser(core), await aUser(core)];
  const workspaceIds = ['a'.repeat(24), 'b'.repeat(24)];
  const share = async (owner: typeof ada, workspace: number, title: string) => {
    const conversation = await aConversation(core, owner, { title });
    const principal = `workspace:${workspaceIds[workspace]}`;
    const to = [{ principal, role: 'viewer' as const }];
    await chat.conversations.replaceGrants(conversation, { from: [], to });
  };
  for (const title of ['1', '2', '3']) await share(ada, 0, title);
  await share(ada, 1, '4');
  for (const title of ['own', 'own too']) await share(grace, 1, title);
  const workspaces = workspaceIds.map((workspaceId) => ({ workspaceId, mayWrite: true }));
  const found = await readShared(chat, { userId: grace.userId, workspaces }, 2);
  expect(found.map(({ title }) => title)).toEqual(['4', '3']);
});
