import { Readable } from 'node:stream';
import { ObjectMissingError, type ObjectStore } from '../../../objects/index.ts';

type Used = Pick<ObjectStore, 'head' | 'read' | 'write' | 'remove' | 'removeAll'>;

/** The part of an object store that reading and viewer use, in memory; `failure` fails every call. */
export function memoryObjects() {
  const stored = new Map<string, Buffer>();
  const counts = { reads: 0 };
  const switches: { failure?: Error | undefined } = {};
  const check = () => {
    if (switches.failure) throw switches.failure;
  };
  const store: Used = {
    head: async (key) => {
      check();
      const body = stored.get(key);
      return body ? { size: body.length, etag: `"${body.length}"` } : null;
    },
    read: async (key) => {
      check();
      counts.reads += 1;
      const body = stored.get(key);
      if (!body) throw new ObjectMissingError(key);
      return Readable.from([body]);
    },
    write: async (key, body) => {
      check();
      stored.set(key, Buffer.from(body));
    },
    remove: async (key) => {
      check();
      stored.delete(key);
    },
    removeAll: async (prefix) => {
      check();
      for (const key of stored.keys()) if (key.startsWith(prefix)) stored.delete(key);
    },
  };
  return {
    ...store,
    stored,
    switches,
    get reads() {
      return counts.reads;
    },
  };
}
