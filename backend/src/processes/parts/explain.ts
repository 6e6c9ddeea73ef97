import { ConfigError } from '../../config.ts';

/** Ends the process with one clear message when it cannot start; only unexpected errors show a stack. */
export async function orExplain(start: Promise<void>): Promise<void> {
  try {
    await start;
  } catch (error) {
    const plain = error instanceof ConfigError || (error instanceof Error && 'code' in error);
    process.stderr.write(`${plain ? error.message : String((error as Error).stack ?? error)}\n`);
    process.exit(1);
  }
}
