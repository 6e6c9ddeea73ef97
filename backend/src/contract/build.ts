/** The header of every answer of the API with the build of the web process. */
export const BUILD_HEADER = 'X-Build';

/** A build of the frontend: when it was made, in UTC, and a hash of its files, such as `20261127191500-0f3a9c51b2de`. */
export const BUILD = /^\d{14}-[0-9a-f]{12}$/;

/** Whether `own` was built before `other` and has other files. False for anything that is not a build. */
export function isOlderBuild(own: unknown, other: unknown): boolean {
  if (typeof own !== 'string' || typeof other !== 'string') return false;
  if (!BUILD.test(own) || !BUILD.test(other)) return false;
  return own.slice(-HASH_LENGTH) !== other.slice(-HASH_LENGTH) && own < other;
}

const HASH_LENGTH = 12;
