// Vitest's set-up of each test file with services. Several files run at once: each uses a database and a Redis database of its worker, so
// that no file takes another one's jobs, or sweeps its records.
const worker = process.env.VITEST_POOL_ID ?? '1';

const ofWorker = (address: string | undefined, name: string): string => {
  const url = new URL(address ?? '');
  url.pathname = `/${name}`;
  return url.toString();
};

process.env.MONGODB_URI = ofWorker(process.env.MONGODB_URI, `stolas-${worker}`);
process.env.REDIS_URL = ofWorker(process.env.REDIS_URL, worker);
