import * as z from 'zod';
import { Id } from './id.ts';
import { MAX_GRANTS } from './limits.ts';

/** What a record is shared for, from least to most: `viewer` reads, `editor` also changes the content, `manager` also shares and deletes. */
export const RECORD_ROLES = ['viewer', 'editor', 'manager'] as const;
export type RecordRole = (typeof RECORD_ROLES)[number];

/** What a reader of a record may do in it. */
export type ReaderRole = RecordRole | 'owner';

/** The name of a user whose account is gone. */
export const FORMER_MEMBER = 'Former member';

/** A user as others see them. `name` is `FORMER_MEMBER` when the account is gone. */
export interface Person {
  id: string;
  name: string;
}

const role = z.enum(RECORD_ROLES);

const GrantBody = z.union([
  z.strictObject({ userId: Id, role }),
  z.strictObject({ workspaceId: Id, role }),
]);
export type GrantBody = z.infer<typeof GrantBody>;

/** PUT /api/{conversations,personas,files}/{id}/grants: replaces all grants. Answers as GET, with `RecordGrant`s. */
export const GrantsBody = z.strictObject({
  grants: z
    .array(GrantBody)
    .max(MAX_GRANTS, `Share it with ${MAX_GRANTS} members and workspaces at most.`)
    .refine(
      (grants) =>
        new Set(grants.map((one) => JSON.stringify(principalOf(one)))).size === grants.length,
      'Name each member and each workspace once.',
    ),
});
export type GrantsBody = z.infer<typeof GrantsBody>;

const principalOf = ({ role: _role, ...principal }: GrantBody) => principal;

/** One of GET /api/{conversations,personas,files}/{id}/grants: a user or a workspace. */
export type RecordGrant = GrantBody & { name: string };
export interface RecordGrants {
  grants: RecordGrant[];
}
