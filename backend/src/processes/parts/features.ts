import type { BuiltFeature, Core, WorkerTools } from '../../features/define-feature.ts';
import { features, type Services } from '../../features/list.ts';
import type { UserStore } from '../../features/user-store.ts';

/** Builds the features in the order of the list. */
export function buildFeatures(core: Core): { services: Services; built: BuiltFeature[] } {
  // Filled one by one. A feature may keep a reference to the whole, and read services of later features when it is called.
  const services = {} as Services;
  const built = features.map((feature) => {
    const one: BuiltFeature = feature.build(core, services);
    Object.assign(services, { [feature.name]: one.service });
    return one;
  });
  return { services, built };
}

/**
 * Erases a user's data in all features, each feature before those that it uses: chat first, because its workers would continue to write,
 * the account last. An interrupted erasure is repeated from the start.
 */
export function createErasure(built: readonly BuiltFeature[]) {
  const ordered = built.toReversed();
  return async (userId: string): Promise<void> => {
    for (const feature of ordered) await feature.eraseUser(userId);
  };
}

/** All stores of a user's data. */
export const createUserStores = (built: readonly BuiltFeature[]): UserStore[] =>
  built.flatMap((feature) => feature.userStores());

/** All features' exports of a user's data, in the order of the list. */
export function createUserExport(built: readonly BuiltFeature[]): WorkerTools['exportUser'] {
  return async function* entries(userId) {
    for (const feature of built) yield* feature.exportUser(userId);
  };
}
