import { StartError } from '../run/start-error.ts';

/** A running server: the port it listens on, and the function that ends it. */
type Serving = { port: number; close(): Promise<void> };

/**
 * Runs one embedded server as this process. Announces the port once it serves; closes it on SIGTERM, on SIGINT and at the end of the parent
 * process. A second signal exits at once. A StartError is printed without a stack trace.
 */
export async function serve(start: () => Promise<Serving>): Promise<void> {
  try {
    const server = await start();
    onStop(() => server.close());
    if (process.send) process.send({ type: 'ready', port: server.port });
    else process.stdout.write(`ready ${server.port}\n`);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

function onStop(close: () => Promise<void>): void {
  let stopping = false;
  const stop = () => {
    if (stopping) process.exit(1);
    stopping = true;
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`stopping failed: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // The channel closes when the parent ends, even by SIGKILL.
  process.on('disconnect', () => stopping || stop());
}
