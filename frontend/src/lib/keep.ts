/** Keeps a value in a map of at most `max` entries, where the one that was kept longest ago makes room. */
export function keep<K, V>(map: Map<K, V>, [key, value]: [K, V], max: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > max && !oldest.done) map.delete(oldest.value);
}
