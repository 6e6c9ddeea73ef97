import type { Model, Types } from 'mongoose';
import { type Grant, userPrincipal, workspacePrincipal } from '../access/index.ts';
import { RECORD_ROLES, type RecordRole } from '../contract/roles.ts';
import { recordsBy } from '../db/records.ts';

// The stored grants of records. They stand in the record, so that one update changes all of them.

/** With whom a record is shared; absent or empty: with nobody. */
export const grantsField = {
  type: [{ _id: false, principal: String, role: { type: String, enum: RECORD_ROLES } }],
  default: undefined,
};

/** The condition of an index of what is shared with a principal. */
export const onlyShared = {
  partialFilterExpression: { 'grants.principal': { $exists: true } },
};

export type StoredGrants = { principal?: string | null; role?: string | null }[] | null | undefined;

export const toGrants = (stored: StoredGrants): Grant[] =>
  (stored ?? []).map(({ principal, role }) => ({
    principal: principal ?? '',
    role: role as RecordRole,
  }));

interface Stored {
  _id: Types.ObjectId;
  ownerId: Types.ObjectId;
  grants?: StoredGrants;
}

/** The records of these owners, or those that none of these users owns or manages, by themselves or by one of these workspaces. */
export type RecordsOf =
  | { ownerIds: string[] }
  | { noManagerIn: { userIds: string[]; workspaceIds: string[] } };

/** What `from` shares with a workspace goes to `to`. */
export interface HandingOver {
  from: string;
  workspaceId: string;
  to: string;
}

function recordsOf(on: RecordsOf): object {
  if ('ownerIds' in on) return { ownerId: { $in: on.ownerIds } };
  const { userIds, workspaceIds } = on.noManagerIn;
  const principals = [...userIds.map(userPrincipal), ...workspaceIds.map(workspacePrincipal)];
  return {
    ownerId: { $nin: userIds },
    grants: { $not: { $elemMatch: { principal: { $in: principals }, role: 'manager' } } },
  };
}

/**
 * The calls for grants of one kind of record. Their queries are not filtered by owner: callers decide by the grants of what they find.
 * @param alive the filter of records that are not deleted
 */
export function createGrantStore<R>(
  anyModel: object,
  toRecord: (doc: never) => R,
  alive: object = {},
) {
  const model = anyModel as Model<Stored>;
  const records = recordsBy(toRecord)(model);
  return {
    /** A record that is shared with anybody; a deleted one only with `withDeleted`. */
    findShared: (id: string, { withDeleted = false } = {}): Promise<R | null> =>
      records.findOne({
        _id: id,
        'grants.principal': { $exists: true },
        ...(!withDeleted && alive),
      }),

    /**
     * Replaces the grants `from` by `to`.
     * @returns null when another request has changed them since, or the record is gone
     */
    replaceGrants: (
      { id, ownerId }: { id: string; ownerId: string },
      { from, to }: { from: readonly Grant[]; to: readonly Grant[] },
    ): Promise<R | null> => {
      const unchanged =
        from.length > 0 ? { grants: [...from] } : { 'grants.0': { $exists: false } };
      return records.update(
        { _id: id, ownerId, ...alive, ...unchanged },
        to.length > 0 ? { $set: { grants: [...to] } } : { $unset: { grants: 1 } },
      );
    },

    countSharedBy: (ownerId: string, principal: string): Promise<number> =>
      model.countDocuments({ ownerId, 'grants.principal': principal, ...alive }),

    /** The records that a user shares with a principal. */
    sharedBy: (ownerId: string, principal: string): Promise<R[]> =>
      records.find({ ownerId, 'grants.principal': principal, ...alive }),

    /** Ends the grants to a principal, on all records or on those. */
    endGrants: async (principal: string, on?: RecordsOf): Promise<void> => {
      await model.updateMany(
        { 'grants.principal': principal, ...(on && recordsOf(on)) },
        { $pull: { grants: { principal } } },
      );
    },
  };
}
