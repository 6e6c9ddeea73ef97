/** The output at the terminal: one line for each event. */
export type Terminal = {
  line(text: string): void;
  /** Runs `work` and prints its completion, with the time it took. */
  step<T>(text: string, work: () => Promise<T>): Promise<T>;
  problem(text: string): void;
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export function createTerminal(
  write: (text: string) => void,
  now: () => number = Date.now,
): Terminal {
  const line = (text: string) => write(`${text}\n`);
  return {
    line,
    problem: (text) => line(`✗ ${text}`),
    step: async (text, work) => {
      const begun = now();
      const result = await work();
      line(`✓ ${text} (${seconds(now() - begun)})`);
      return result;
    },
  };
}
