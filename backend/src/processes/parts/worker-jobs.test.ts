import { expect, it } from 'vitest';
import type { JobRun } from '../../jobs/worker.ts';
import { chooseJobs, type FeatureJobs } from './worker-jobs.ts';

const job = (queue: string): JobRun => ({ queue, start: async () => ({ close: async () => {} }) });

const ALL: FeatureJobs[] = [
  ['chat', [job('replies'), job('post-steps')]],
  ['files', [job('file-reading'), job('file-vectors')]],
  ['accounts', [job('mails')]],
];

const chosen = (...names: string[]) => chooseJobs(ALL, names).map(({ queue }) => queue);

it('runs all jobs by default', () => {
  expect(chosen()).toEqual(['replies', 'post-steps', 'file-reading', 'file-vectors', 'mails']);
});

it('runs those that are named, by queue or by feature', () => {
  expect(chosen('mails', 'replies')).toEqual(['replies', 'mails']);
  expect(chosen('files')).toEqual(['file-reading', 'file-vectors']);
  expect(chosen('files', 'file-reading', 'post-steps')).toEqual([
    'post-steps',
    'file-reading',
    'file-vectors',
  ]);
});

it('refuses an unknown name with the list of names', () => {
  expect(() => chosen('replies', 'letters')).toThrow(
    /WORKER_JOBS: letters is not among accounts, chat, file-reading, .*mails, .*replies/,
  );
});
