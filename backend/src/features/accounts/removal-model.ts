import { matchesOne } from '../../db/mongo.ts';
import { inPartitions, type OnPartition } from '../../jobs/partitions.ts';
import { ACCESS } from './credential-changes.ts';
import { UNVERIFIED_BY_USE, type UserDocument, type UserModel } from './user-model.ts';

interface Lease {
  guestsUnseenSince: Date;
  unverifiedUnseenSince: Date;
  retryBefore: Date;
  now: Date;
  limit: number;
  onPartition: OnPartition;
  /** Whether an unverified account is kept. When this cannot be determined, the account is kept. */
  keep: (userId: string) => Promise<boolean>;
}

/** The means by which a user signs in to an account. */
const IDENTITY = ['email', 'google', 'replit'] as const;
type Identity = Pick<UserDocument, (typeof IDENTITY)[number]>;

export const createRemovalStore = (model: UserModel) => ({
  ...removeCalls(model),
  ...leaseCalls(model),
});

const removeCalls = (model: UserModel) => ({
  /** Closes the account for good and frees its email address; false when it is already being deleted. */
  begin: (id: string, now: Date): Promise<boolean> => {
    const close = {
      $set: { deletingAt: now, emailVerified: false },
      $unset: { ...ACCESS, email: 1, formerEmails: 1 },
    };
    return matchesOne(model.updateOne({ _id: id, deletingAt: null }, close));
  },

  /** Removes an account only if it is marked as being deleted. */
  remove: async (id: string): Promise<void> => {
    await model.deleteOne({ _id: id, deletingAt: { $ne: null } });
  },
});

function leaseCalls(model: UserModel) {
  return {
    /** Ids of accounts that are due, up to `limit` of each kind. Each is leased by one caller; callers share the work by partitions. */
    lease: async (options: Lease): Promise<string[]> => {
      const { guestsUnseenSince, retryBefore, now, limit, onPartition } = options;
      const due = {
        $or: [
          {
            subscriptionStatus: 'guest' as const,
            lastSeenAt: { $lt: guestsUnseenSince },
            deletingAt: null,
          },
          { deletingAt: { $lt: retryBefore } },
        ],
      };
      const ids = (await pageOfDue(model, due, { limit })).map(idOf);
      const leased: string[] = [];
      for (const [partition, own] of inPartitions(ids, partitionOf))
        leased.push(
          ...((await onPartition(partition, () => leaseEach(model, due, { ids: own, now }))) ?? []),
        );
      const unverified = await onPartition('unverified', () => leaseUnverified(model, options));
      return [...leased, ...(unverified ?? [])];
    },
  };
}

function pageOfDue(
  model: UserModel,
  due: object,
  { after, limit }: { after?: string | undefined; limit: number },
) {
  const filter = after === undefined ? due : { ...due, _id: { $gt: after } };
  return model
    .find(filter, IDENTITY)
    .sort({ _id: 1 })
    .limit(limit)
    .lean<(Identity & { _id: unknown })[]>();
}

/** Leases the due accounts; each is leased by one caller. */
async function leaseEach(
  model: UserModel,
  due: object,
  { ids, now }: { ids: string[]; now: Date },
): Promise<string[]> {
  const leases = ids.map(async (id) => {
    const update = { $set: { deletingAt: now } };
    return (await matchesOne(model.updateOne({ ...due, _id: id }, update))) ? [id] : [];
  });
  return (await Promise.all(leases)).flat();
}

async function leaseUnverified(
  model: UserModel,
  { unverifiedUnseenSince, now, limit, keep }: Lease,
): Promise<string[]> {
  const due = {
    emailVerified: false,
    subscriptionStatus: null,
    lastSeenAt: { $lt: unverifiedUnseenSince },
    deletingAt: null,
  };
  let after: string | undefined;
  for (;;) {
    // The hint is needed: the database may otherwise walk the ids and read every account.
    const found = await pageOfDue(model, due, { after, limit }).hint(UNVERIFIED_BY_USE);
    const kept = await Promise.allSettled(
      found.map(async (one) => isReachable(one) && keep(idOf(one))),
    );
    const gone = found.filter((_one, n) => {
      const one = kept[n];
      return one?.status === 'fulfilled' && !one.value;
    });
    const leased = await leaseEach(model, due, { ids: gone.map(idOf), now });
    const last = found.at(-1);
    // A page whose accounts are all kept must not hide the later pages.
    if (leased.length > 0 || last === undefined || found.length < limit) return leased;
    after = idOf(last);
  }
}

/** The last digit: the first ones are the time of creation. */
const partitionOf = (id: string): string => id.slice(-1);

const idOf = ({ _id }: { _id: unknown }): string => String(_id);

/** Whether a user can sign in to an account without a session. An account without any sign-in is not kept for its plan. */
const isReachable = (account: Identity): boolean => IDENTITY.some((field) => account[field]);
