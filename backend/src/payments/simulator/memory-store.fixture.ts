import { type CustomerStore, namesOf, type StoredCustomer } from './store.ts';

/** A store in this process's memory, which no test shares. */
export function createMemoryStore(): CustomerStore {
  const customers = new Map<string, StoredCustomer>();
  const all = () => [...customers.values()].map((customer) => structuredClone(customer));
  const holderOf = (name: string) => all().find(({ state }) => namesOf(state).includes(name));
  const put = (stored: StoredCustomer): boolean => {
    const taken = namesOf(stored.state).some((name) => {
      const holder = holderOf(name);
      return holder !== undefined && holder.state.id !== stored.state.id;
    });
    if (!taken) customers.set(stored.state.id, structuredClone(stored));
    return !taken;
  };
  return {
    find: async (name) => holderOf(name) ?? null,
    listOf: async (ownerId) => all().filter(({ state }) => state.ownerId === ownerId),
    listDue: async (now) =>
      all().filter(({ state }) =>
        state.events.some(({ nextTryAt }) => nextTryAt !== null && nextTryAt <= now),
      ),
    page: async ({ after, limit }) => {
      const sorted = all().toSorted((a, b) => (a.state.id < b.state.id ? -1 : 1));
      return sorted.filter(({ state }) => after === null || state.id > after).slice(0, limit);
    },
    insert: async (state) => !customers.has(state.id) && put({ state, version: 1 }),
    replace: async (state, version) =>
      customers.get(state.id)?.version === version && put({ state, version: version + 1 }),
  };
}
