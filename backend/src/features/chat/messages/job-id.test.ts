import { expect, it } from 'vitest';
import { queueOfConversation, queueOfJob, replyJobId, replyOfJob } from './job-id.ts';

const ids = Array.from({ length: 3_000 }, (_, n) => n.toString(16).padStart(24, '0'));

it('with one queue a job has the id that earlier versions give it', () => {
  const reply = { id: 'r1', conversationId: ids[7] ?? '' };
  expect(replyJobId(reply, 1)).toBe('r1');
  expect(replyJobId({ ...reply, attempt: 2 }, 1)).toBe('r1.2');
});

it('a job names its queue and its reply', () => {
  for (const conversationId of ids.slice(0, 200))
    for (const attempt of [undefined, 3]) {
      const jobId = replyJobId(
        { id: 'r1', conversationId, ...(attempt !== undefined && { attempt }) },
        64,
      );
      expect(queueOfJob(jobId)).toBe(queueOfConversation(conversationId, 64));
      expect(replyOfJob(jobId)).toBe('r1');
    }
  expect([queueOfJob('r1'), queueOfJob('r1.2'), queueOfJob('r1@64'), queueOfJob('r1@x')]).toEqual([
    0, 0, 0, 0,
  ]);
});

it('conversations are shared out evenly', () => {
  const counts = [0, 0, 0];
  for (const id of ids) {
    const queue = queueOfConversation(id, 3);
    counts[queue] = (counts[queue] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
});
