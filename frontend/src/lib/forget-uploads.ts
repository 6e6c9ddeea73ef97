import { removeItems } from './storage.ts';

/** Each closes an open uploader and removes its stored data. */
export const uploaderClosers = new Set<() => void>();

/** Uppy's golden retriever keeps the state of unfinished uploads in localStorage, and their bytes in this database. */
const STATE_PREFIX = 'uppyState:';
const DATABASE = 'uppy-blobs';

/** Removes all stored data of unfinished uploads from this browser. */
export async function forgetUploads(): Promise<void> {
  for (const close of uploaderClosers) close();
  removeItems(STATE_PREFIX);
  const databases = await indexedDB.databases?.();
  if (databases && !databases.some(({ name }) => name === DATABASE)) return;
  const database = await opened();
  for (const name of database.objectStoreNames) {
    database.transaction(name, 'readwrite').objectStore(name).clear();
  }
  database.close();
}

const opened = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE);
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('refused')));
  });
