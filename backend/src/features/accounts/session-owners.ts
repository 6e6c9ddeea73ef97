const MAX_KNOWN = 10_000;

/**
 * Whose sessions tokens were, as far as this process has seen them. It allows nothing: it only says which user to read
 * while the session is looked up, so that the two do not wait for each other.
 */
export function createSessionOwners(max = MAX_KNOWN) {
  const owners = new Map<string, string>();
  return {
    of: (tokenHash: string): string | undefined => owners.get(tokenHash),
    know: (tokenHash: string, userId: string): void => {
      owners.delete(tokenHash);
      owners.set(tokenHash, userId);
      const [oldest] = owners.keys();
      if (owners.size > max && oldest !== undefined) owners.delete(oldest);
    },
    forget: (tokenHash: string): void => {
      owners.delete(tokenHash);
    },
  };
}
