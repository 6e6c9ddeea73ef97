import { mistakes } from './patches.mjs';

const JOBS = 'backend/src/jobs';
const GENERATION = 'backend/src/features/chat/generation';
const job = (...names) => names.map((name) => `src/jobs/${name}.test.ts`);
const chat = (...names) => names.map((name) => `src/features/chat/generation/${name}.test.ts`);

export const QUEUE_MUTATIONS = [
  ...mistakes(
    { file: `${JOBS}/fair-queue.ts`, tests: job('fair-queue') },
    {
      'local function lower': [
        "~~redis.call('ZADD', KEYS[2], priority * 0x100000000 + score % 0x100000000, job)~~",
        "~~redis.call('HSET', prefix .. job, 'priority', priority)~~",
      ],
      'const ENTER = ': [
        "~~redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)~~",
        ['if ~~not last~~ then', 'true'],
        ['~~last = now~~', 'last = 0'],
        '~~members = members + 1~~',
        ['local tag = last + ~~members * ARGV[3]~~', 'ARGV[3]'],
        'members ~~* ARGV[3]~~',
        "~~redis.call('ZADD', KEYS[3], tag, ARGV[2])~~",
        ['if ~~tag - base > lowest~~ and', 'true'],
        ['if ~~tag - base > lowest~~ and', 'false'],
        ['math.max(1, ~~priorityOf(score) - (now - base)~~)', '1'],
        '~~base = now~~',
        ["'top', ~~math.max(top, tag)~~", '0'],
        "~~redis.call('PEXPIRE', KEYS[1], ARGV[5])~~",
        "~~redis.call('PEXPIRE', KEYS[3], ARGV[5])~~",
        ['return ~~math.min(tag - base, lowest)~~', 'tag - base'],
      ],
      'const STARTED = ': [
        '~~if not top then return 0 end~~',
        ['math.min(~~base + ~~ARGV[2]', ''],
        ['local tag = ~~math.min(base + ARGV[2], top)~~', 'base + ARGV[2]'],
        ['if ~~tag > now~~ then', 'true'],
        ["then ~~redis.call('HSET', KEYS[1], 'now', tag)~~ end", ''],
        ['if ~~base + priorityOf(score) > top~~ then', 'false'],
      ],
    },
  ),

  ...mistakes(
    { file: `${JOBS}/producer.ts`, tests: job('producer') },
    {
      'export async function ensureQueued': [
        '~~if (await producer.canRun(jobId)) return;~~',
        '~~await producer.remove(jobId);~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${JOBS}/worker.ts`, tests: job('fair-queue') },
    {
      'const run = async': [
        '~~if (priority > 0) onStart?.(priority).catch(onQueueError);~~',
        '~~if (priority > 0) await job.changePriority({ priority: 0 });~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${JOBS}/producer.ts`, tests: job('fair-queue') },
    {
      'add: async': ['delay: delayMs~~, priority~~ }'],
      'ahead: async': [['null : ~~before + ~~rank', '']],
    },
  ),

  ...mistakes(
    { file: `${JOBS}/leadership.ts`, tests: job('leadership') },
    {
      'async (): Promise<boolean>': [
        "'PX', leaseMs~~, 'NX'~~)",
        '~~if ((await redis.get(key)) !== id) return false;~~',
        ['return ~~(await redis.pexpire(key, leaseMs)) === 1~~', 'true'],
      ],
    },
  ),

  ...mistakes(
    { file: `${GENERATION}/queue.ts`, tests: chat('queue') },
    {
      'LANE_WEIGHTS: ': [
        ['pro: ~~4~~', '1'],
        ['starter: ~~2~~', '1'],
      ],
      'const announce': [
        '~~if (!ahead) return;~~',
        ['stateOf(reply, ~~lengthOf(partsOf(reply))~~)', '0'],
      ],
      'const add =': [[', ~~{ priority }~~);', '{}']],
      'const takePriority': [['member: ~~ownerId~~', "'anybody'"]],
      'const ensureReplyQueued': [['add(reply, ~~lane && ~~(await', "lane !== 'x' && "]],
      'enqueue: async': [['~~priority ? add(reply, await priority) : ~~ensureReplyQueued', '']],
      'aheadOf: (': ['~~.catch(() => null)~~'],
    },
  ),

  ...mistakes(
    { file: `${GENERATION}/positions.ts`, tests: chat('positions') },
    {
      'const follow = async': [
        ['filter((jobId) => ~~!positions.has(jobId)~~)', 'true'],
        '~~if (position) followed.set(jobId, position);~~',
      ],
      'const publish': ['~~if (!reply) return;~~', '~~position.published = ahead;~~'],
      'return async (): ': [
        '~~ || !(await isLeader())~~',
        '~~positions.clear();~~',
        ['const ahead = ~~front + ~~index', ''],
        ['position && ~~!isStarting~~ &&', 'true'],
        ['const isStarting = ~~ahead === 0 && ~~found', ''],
        ['ahead === 0 && ~~found.has(jobId)~~', 'true'],
        '~~ && isNews(position, ahead)~~',
      ],
      'const isNews': [
        ['published !== ahead && ~~Math.abs(published - ahead)~~', 'published - ahead'],
        ['>= ~~Math.floor(ahead / PRECISION)~~', '0'],
      ],
    },
  ),

  ...mistakes(
    { file: `${GENERATION}/service.ts`, tests: chat('queue') },
    {
      'tail: async': ['~~...(ahead !== null && { ahead })~~'],
      'const stopQueued': ['~~await queue.remove(reply).catch(() => undefined);~~'],
    },
  ),
];
