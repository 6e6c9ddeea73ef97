/**
 * Takes the secret of a mailed link out of the address, where the next person at this browser would find it.
 * It stands behind the #, so no server has seen it either.
 */
export function takeLinkToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}
