import { expect, it } from 'vitest';
import { userPrincipal, workspacePrincipal } from '../../../access/index.ts';
import type { FileRecord } from './file-record.ts';
import { findUsable, type OpensFiles } from './open.ts';

const [ADA, GRACE, MARY] = ['a', 'b', 'c'].map((letter) => letter.repeat(24)) as [
  string,
  string,
  string,
];
const WORKSPACE = 'f'.repeat(24);
const CONVERSATION = 'e'.repeat(24);

const file = (id: string, fields: Partial<FileRecord>) =>
  ({ id, ownerId: GRACE, grants: [], conversationIds: [], ...fields }) as unknown as FileRecord;

/** The ids of the files that Ada may use among all of these, in the conversation if there is one. */
async function usable(files: readonly FileRecord[], conversationId?: string): Promise<string[]> {
  const opens = {
    records: {
      findMany: async (ownerId: string, _ids: string[], used?: string) =>
        files.filter(
          (one) => one.ownerId === ownerId || (used && one.conversationIds.includes(used)),
        ),
      findSharedAmong: async (ids: string[]) =>
        files.filter(({ id, grants }) => ids.includes(id) && grants.length > 0),
    },
    others: {
      workspaces: {
        places: async () => [{ workspaceId: WORKSPACE, userId: ADA, mayWrite: true }],
      },
    },
  } as unknown as OpensFiles;
  const ids = files.map(({ id }) => id);
  return (await findUsable(opens, ADA, ids, conversationId)).map(({ id }) => id);
}

it('finds own files, those that are shared with the user or their workspace, and no others', async () => {
  const role = 'viewer' as const;
  const files = [
    file('own', { ownerId: ADA }),
    file('shared', { grants: [{ principal: userPrincipal(ADA), role }] }),
    file('of a workspace', { grants: [{ principal: workspacePrincipal(WORKSPACE), role }] }),
    file('foreign', {}),
    file('shared with others', { grants: [{ principal: userPrincipal(MARY), role }] }),
    file('of another workspace', { grants: [{ principal: workspacePrincipal(MARY), role }] }),
    file('of another conversation', { conversationIds: [MARY] }),
  ];
  expect(await usable(files)).toEqual(['own', 'shared', 'of a workspace']);
});

it('finds in a conversation what an earlier owner of it has used there', async () => {
  const files = [file('used', { conversationIds: [CONVERSATION] }), file('foreign', {})];
  expect(await usable(files, CONVERSATION)).toEqual(['used']);
  expect(await usable(files)).toEqual([]);
});
