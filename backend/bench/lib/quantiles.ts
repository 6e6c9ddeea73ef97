/** The value below which the share `q` of the values lies. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

/** The duration of `run`, in ms. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  const begunAt = performance.now();
  await run();
  return performance.now() - begunAt;
}

export const p50 = (values: readonly number[]): number => quantile(values, 0.5);
export const p95 = (values: readonly number[]): number => quantile(values, 0.95);
export const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
