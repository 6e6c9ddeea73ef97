import { type DestinationStream, type Logger, pino } from 'pino';

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
  };
  return destination ? pino(options, destination) : pino(options);
}
