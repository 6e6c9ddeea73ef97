/**
 * Distributes `slots` by weight in whole numbers: the largest remainders get the rest, ties in the order of the list (Hamilton's method).
 * Weights of 0 get nothing.
 * @param weights non-negative whole numbers, at least one above 0
 */
export function shareOut(slots: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const shares = weights.map((weight) => Math.floor((slots * weight) / sum));
  const left = slots - shares.reduce((all, share) => all + share, 0);
  const order = weights
    .map((weight, at) => ({ at, remainder: (slots * weight) % sum, weight }))
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.remainder - a.remainder || a.at - b.at);
  for (const { at } of order.slice(0, left)) shares[at] = (shares[at] ?? 0) + 1;
  return shares;
}
