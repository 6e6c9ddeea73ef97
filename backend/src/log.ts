import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';

export type Log = Logger;

const SECRETS = ['authorization', 'cookie', 'set-cookie', 'password', 'token', 'email'];
const redactedPaths = SECRETS.flatMap((name) => [
  `["${name}"]`,
  `*["${name}"]`,
  `*.*["${name}"]`,
  `*.*.*["${name}"]`,
]);

// Drivers quote the value that a unique index refused, and connection strings contain passwords before an `@`.
const maskAddresses = (text: string): string =>
  text.replaceAll(/(?<![^\s"'<>])[^\s"'<>]+@[^\s"'<>]+/g, '[masked]');

/** Logs no other fields of an error: they hold documents, commands and request bodies. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return {
    type: error.name,
    message: maskAddresses(error.message),
    ...('code' in error && { code: error.code }),
    stack: maskAddresses(error.stack ?? ''),
    ...(error instanceof AggregateError && { errors: error.errors.map(describeError) }),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>;

/** A failure is logged at most this often within REPEAT_WINDOW_MS; further ones are counted. */
const MAX_REPEATS = 10;
const REPEAT_WINDOW_MS = 10_000;

/**
 * A hook of pino that limits repetitions of one failure, so that a failing dependency cannot fill a disk. At the end of the window one line
 * says how many were left out. Lines without an error are never left out: they record events.
 */
function limitRepeats(): LogMethod {
  const counts = new Map<string, number>();
  return function limited(args, write) {
    const [fields, message] = args as [unknown, string?];
    const error = errorIn(fields);
    if (!error || message === undefined) return write.apply(this, args);
    // Numbers differ between repetitions: slots, ports, durations. So do the scripts that Redis refused.
    const same = error.message
      .slice(0, 100)
      .replace(/ script: .*/, '')
      .replaceAll(/\d+|\.$/g, '');
    // Wherever it is met: while a dependency fails, everything that uses it does.
    const key = `${error.name} ${same}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count === 1)
      setTimeout(() => {
        const leftOut = (counts.get(key) ?? 0) - MAX_REPEATS;
        counts.delete(key);
        if (leftOut > 0) write.apply(this, [{ leftOut, type: error.name }, message]);
      }, REPEAT_WINDOW_MS).unref();
    if (count <= MAX_REPEATS) write.apply(this, args);
  };
}

const errorIn = (fields: unknown): Error | undefined => {
  const { err } = (fields ?? {}) as { err?: unknown };
  return err instanceof Error ? err : undefined;
};

/**
 * Structured log of one process, as lines of JSON. Secrets and email addresses are redacted everywhere; message texts are never passed to
 * it.
 */
export function createLog(
  { level, name }: { level: string; name: string },
  destination?: DestinationStream,
): Log {
  const options = {
    name,
    level,
    redact: { paths: redactedPaths, censor: '[redacted]' },
    serializers: { err: describeError },
    hooks: { logMethod: limitRepeats() },
  };
  return destination ? pino(options, destination) : pino(options);
}
