import * as z from 'zod';
import { Id } from './id.ts';
import { MAX_GRANTS } from './limits.ts';
import { RECORD_ROLES } from './roles.ts';

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
