import { ConfigError } from '../../config.ts';
import type { JobRun } from '../../jobs/worker.ts';

/** The jobs of a feature, by its name. */
export type FeatureJobs = readonly [feature: string, jobs: readonly JobRun[]];

/**
 * The jobs that WORKER_JOBS names: by their queue, or by their feature for all its queues. An empty list names all.
 * @throws ConfigError when it names something else
 */
export function chooseJobs(all: readonly FeatureJobs[], names: readonly string[]): JobRun[] {
  const every = all.flatMap(([feature, jobs]) => jobs.map((job) => ({ feature, job })));
  const known = new Set(every.flatMap(({ feature, job }) => [job.queue, feature]));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new ConfigError(
      `The configuration is not complete:\n  WORKER_JOBS: ${unknown.join(', ')} is not among ${[...known].toSorted().join(', ')}`,
    );
  const isChosen = ({ feature, job }: (typeof every)[number]) =>
    names.length === 0 || names.includes(job.queue) || names.includes(feature);
  return every.filter(isChosen).map(({ job }) => job);
}
