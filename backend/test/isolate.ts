// Vitest's set-up of each test file with services. Several files run at once: each uses a database and a Redis database of its worker, so
// that no file takes another one's jobs, or sweeps its records.
import { afterAll } from 'vitest';

const worker = process.env.VITEST_POOL_ID ?? '1';

const ofWorker = (address: string | undefined, name: string): string => {
  const url = new URL(address ?? '');
  url.pathname = `/${name}`;
  return url.toString();
};

process.env.MONGODB_URI = ofWorker(process.env.MONGODB_URI, `stolas-${worker}`);
process.env.REDIS_URL = ofWorker(process.env.REDIS_URL, worker);

// The commands that the file has sent to the database; those of another file that runs at the same time may be among them.
afterAll(async () => {
  const { STOLAS_TEST_DATABASE_REPORT: report } = process.env;
  if (!report) return;
  const answer = await fetch(report);
  const faults = (await answer.json()) as string[];
  if (faults.length > 0) throw new Error(faults.join('\n'));
});
