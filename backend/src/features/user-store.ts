import type { DeletionStore } from '../contract/privacy.ts';

/** A place with data of users. */
export interface UserStore {
  name: DeletionStore;
  /** The amount of a user's data: documents, objects, keys or customers. */
  count: (userId: string) => Promise<number>;
}

/** The field of a model that names the user, and the store that counts its documents; by default the feature's. */
export type OwnerField = string | { field: string; store: DeletionStore };

/** The owner field of each model; null when its documents belong to no user. */
export type OwnerFields<Models> = { readonly [Name in keyof Models]: OwnerField | null };

interface Countable {
  countDocuments: (filter: Record<string, string>) => PromiseLike<number>;
}

/** The models that have an owner, as stores of a feature. */
export function modelStores<Models>(
  feature: string,
  models: Models,
  owners: OwnerFields<Models>,
): UserStore[] {
  const names = Object.keys(owners) as (keyof Models)[];
  return names.flatMap((name) => {
    const owner = owners[name];
    if (owner === null) return [];
    const { field, store } =
      typeof owner === 'string' ? { field: owner, store: feature as DeletionStore } : owner;
    const model = models[name] as Countable;
    return [{ name: store, count: async (userId) => model.countDocuments({ [field]: userId }) }];
  });
}
