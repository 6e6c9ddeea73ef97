import { keyReused } from './errors.ts';
import type { CustomerState } from './state.ts';
import { type CustomerStore, namesOf, type StoredCustomer } from './state.ts';

/** A separate store in this process's memory. */
export function createMemoryStore(): CustomerStore {
  const customers = new Map<string, StoredCustomer>();
  const all = () => [...customers.values()].map((customer) => structuredClone(customer));
  const holderOf = (name: string) =>
    [...customers.values()].find(({ state }) => namesOf(state).includes(name));
  const isTaken = (state: CustomerState): boolean =>
    namesOf(state).some((name) => (holderOf(name)?.state.id ?? state.id) !== state.id);
  const put = (stored: StoredCustomer): true => {
    customers.set(stored.state.id, structuredClone(stored));
    return true;
  };
  return {
    find: async (name) => structuredClone(holderOf(name) ?? null),
    listOf: async (ownerId) => all().filter(({ state }) => state.ownerId === ownerId),
    listDue: async (now) =>
      all().filter(({ state }) =>
        state.events.some(({ nextTryAt }) => nextTryAt !== null && nextTryAt <= now),
      ),
    page: async ({ after, limit }) => {
      const sorted = all().toSorted((a, b) => (a.state.id < b.state.id ? -1 : 1));
      return sorted.filter(({ state }) => after === null || state.id > after).slice(0, limit);
    },
    insert: async (state) =>
      !customers.has(state.id) && !isTaken(state) && put({ state, version: 1 }),
    replace: async (state, version) => {
      if (customers.get(state.id)?.version !== version) return false;
      if (isTaken(state)) throw keyReused();
      return put({ state, version: version + 1 });
    },
  };
}
