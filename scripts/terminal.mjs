// One line for each step, with the time it took; a failed step shows its output.
import { spawn } from 'node:child_process';

/** A problem that the user at the terminal can solve: printed as its message, without a stack trace. */
export class Stop extends Error {}

/** Runs `work` and prints that it is done. */
export async function step(text, work) {
  const begun = performance.now();
  const result = await work();
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(`✓ ${text} (${seconds} s)`);
  return result;
}

/**
 * Runs a program without showing its output, unless it fails or the option `stdio` is set. Rejects with a Stop that contains the output.
 */
export function quietly(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.once('error', (error) =>
      reject(new Stop(`${command} could not be run: ${error.message}`)),
    );
    child.once('close', (code) =>
      code === 0
        ? resolve(output)
        : reject(new Stop(`${[command, ...args].join(' ')} failed:\n${output.trim()}`)),
    );
  });
}

/** Runs a program and shows its output at once; resolves with its exit code. */
export function loudly(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** Runs a script's main function; a Stop ends it with only its message. */
export async function main(work) {
  try {
    await work();
  } catch (error) {
    console.error(`✗ ${error instanceof Stop ? error.message : (error.stack ?? error)}`);
    process.exit(1);
  }
}
