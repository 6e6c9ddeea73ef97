// No schemas: a page that imports one value of a file with schemas would load all of zod.

/** What a record is shared for, from least to most: `viewer` reads, `editor` also changes the content, `manager` also shares and deletes. */
export const RECORD_ROLES = ['viewer', 'editor', 'manager'] as const;
export type RecordRole = (typeof RECORD_ROLES)[number];

/** What a reader of a record may do in it. */
export type ReaderRole = RecordRole | 'owner';

/** The name of a user whose account is gone. */
export const FORMER_MEMBER = 'Former member';

/** From most to least rights. Each role may do what the next one may. */
export const WORKSPACE_ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
export type WorkspaceRole = (typeof WORKSPACE_ROLES)[number];

/** The roles that an admin gives; ownership moves by a transfer only. */
export const GIVEN_ROLES = ['admin', 'member', 'viewer'] as const;
export type GivenRole = (typeof GIVEN_ROLES)[number];
