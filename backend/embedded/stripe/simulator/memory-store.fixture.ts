import { keyReused } from './errors.ts';
import type { CustomerState } from './state.ts';
import { type CustomerStore, namesOf, type StoredCustomer } from './state.ts';

/** A separate store in this process's memory. */
export function createMemoryStore(): CustomerStore {
  const customers = new Map<string, StoredCustomer>();
  /** The id of the customer with a name. */
  const holders = new Map<string, string>();
  const all = () => [...customers.values()].map((customer) => structuredClone(customer));
  const isTaken = (state: CustomerState): boolean =>
    namesOf(state).some((name) => (holders.get(name) ?? state.id) !== state.id);
  const put = (stored: StoredCustomer): true => {
    const { id } = stored.state;
    const former = customers.get(id);
    for (const name of former ? namesOf(former.state) : []) holders.delete(name);
    for (const name of namesOf(stored.state)) holders.set(name, id);
    customers.set(id, structuredClone(stored));
    return true;
  };
  return {
    find: async (name) => structuredClone(customers.get(holders.get(name) ?? '') ?? null),
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
