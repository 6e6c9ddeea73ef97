import { byUser, type RateLimit } from '../../../http/index.ts';

export type RateLimits = ReturnType<typeof createRateLimits>;

/** Calls per user and minute. A large file needs a signature for every part. */
export function createRateLimits(rateLimit: RateLimit) {
  const perMinute = (name: string, points: number) =>
    rateLimit({ name, points, seconds: 60, key: byUser });
  return {
    begin: perMinute('uploads', 60),
    parts: perMinute('upload-parts', 600),
    finish: perMinute('upload-ends', 120),
    credentials: perMinute('upload-credentials', 10),
    forms: perMinute('upload-forms', 20),
  };
}
