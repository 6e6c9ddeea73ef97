/** Pages in order by their ranges, such as `3–12` and `15`. */
export function pageRanges(pages: readonly number[]): string[] {
  const ranges: [number, number][] = [];
  for (const n of pages) {
    const last = ranges.at(-1);
    if (last && n === last[1] + 1) last[1] = n;
    else ranges.push([n, n]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
}
