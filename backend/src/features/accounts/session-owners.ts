const MAX_KNOWN = 10_000;

/** The user of each token that this process has seen. It grants nothing: with it, the user can be read while the session is looked up. */
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
