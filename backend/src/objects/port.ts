/** Files of users, each under a key that begins with its owner's prefix. */
export interface ObjectStore {
  /**
   * Removes every object whose key begins with `prefix`, and aborts unfinished uploads under it.
   * @param prefix ends with a slash, so that it covers one owner only
   */
  removeAll: (prefix: string) => Promise<void>;
}
