import { defineScript, type Redis } from '../db/redis.ts';
import { type JobDefinition, queuePrefix } from './define-job.ts';

/** BullMQ's lowest priority; 1 is the highest, and jobs without a priority start before all others. */
const LOWEST_PRIORITY = 2 ** 21 - 1;
/** The data about members of an idle queue expires. */
const IDLE_MS = 24 * 3600 * 1_000;

// Weighted fair queueing (decision 16). A job's tag is the virtual time at which it should start; `now` is the greatest
// tag that has started and `top` the greatest that was given. A priority is a tag without `base`, which follows `now`
// because priorities are bounded. BullMQ's score of a waiting job is its priority * 2^32 + a counter.
const WAITING = `
local function read(...)
  local fields = redis.call('HMGET', KEYS[1], ...)
  for i = 1, #fields do fields[i] = tonumber(fields[i]) end
  return fields
end
local function priorityOf(score) return math.floor(score / 0x100000000) end
local function lower(prefix, job, score, priority)
  redis.call('ZADD', KEYS[2], priority * 0x100000000 + score % 0x100000000, job)
  redis.call('HSET', prefix .. job, 'priority', priority)
end`;

// KEYS: state, waiting jobs, members of the group. ARGV: prefix of jobs, member, step, lowest priority, expiry in ms.
const ENTER = `${WAITING}
local state = read('now', 'base', 'top')
local now, base, top = state[1] or 0, state[2] or 0, state[3] or 0
local lowest = tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
local members = redis.call('ZCARD', KEYS[3])
local last = tonumber(redis.call('ZSCORE', KEYS[3], ARGV[2]))
if not last then
  last = now
  members = members + 1
end
local tag = last + members * ARGV[3]
redis.call('ZADD', KEYS[3], tag, ARGV[2])
if tag - base > lowest and (now - base) * 2 > lowest then
  local waiting = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
  for i = 1, #waiting, 2 do
    local score = tonumber(waiting[i + 1])
    lower(ARGV[1], waiting[i], score, math.max(1, priorityOf(score) - (now - base)))
  end
  base = now
end
redis.call('HSET', KEYS[1], 'base', base, 'top', math.max(top, tag))
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('PEXPIRE', KEYS[3], ARGV[5])
return math.min(tag - base, lowest)`;

// KEYS: state, waiting jobs. ARGV: prefix of jobs, priority of the started job. A job that got its priority before \`base\` moved and was
// added after it waits behind everything: it is lowered to the last given place.
const STARTED = `${WAITING}
local state = read('now', 'base', 'top')
local now, base, top = state[1] or 0, state[2] or 0, state[3]
if not top then return 0 end
local tag = math.min(base + ARGV[2], top)
if tag > now then redis.call('HSET', KEYS[1], 'now', tag) end
local highest = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
if highest[1] then
  local score = tonumber(highest[2])
  if base + priorityOf(score) > top then lower(ARGV[1], highest[1], score, math.max(1, top - base)) end
end
return 1`;

/** Gives the jobs of a queue priorities that share the starts between groups, and equally between the members of a group. */
export interface FairQueue<Group extends string> {
  /** The priority of a member's next job. Each call takes a place: an unused one costs the member a turn. */
  enter: (place: { group: Group; member: string }) => Promise<number>;
  /** To be called with the priority of each started job. */
  started: (priority: number) => Promise<void>;
  /** The number of groups with this member. */
  count: (member: string) => Promise<number>;
  /** Removes a member from all groups. */
  forget: (member: string) => Promise<void>;
}

/**
 * While every group has waiting jobs, each gets a share of the starts in proportion to its weight, and the members within it take turns. A
 * single group gets all starts. The state is in Redis; without it, shares start again.
 * @param weights numbers that divide the greatest of them
 */
export function createFairQueue<Group extends string>(
  redis: Redis,
  definition: Pick<JobDefinition<never>, 'name'>,
  {
    weights,
    lowestPriority = LOWEST_PRIORITY,
  }: { weights: Record<Group, number>; lowestPriority?: number },
): FairQueue<Group> {
  const enter = defineScript<number>(redis, 'enterFairQueue', { numberOfKeys: 3, lua: ENTER });
  const started = defineScript(redis, 'startedInFairQueue', { numberOfKeys: 2, lua: STARTED });
  const jobs = `${queuePrefix(definition)}:${definition.name}:`;
  const state = `${queuePrefix(definition)}:fair`;
  const waiting = `${jobs}prioritized`;
  const groups = Object.keys(weights).map((group) => `${state}:${group}`);
  const unit = Math.max(...Object.values<number>(weights));
  return {
    enter: ({ group, member }) =>
      enter(
        state,
        waiting,
        `${state}:${group}`,
        jobs,
        member,
        unit / weights[group],
        lowestPriority,
        IDLE_MS,
      ),
    started: async (priority) => {
      await started(state, waiting, jobs, priority);
    },
    count: async (member) => {
      const scores = await Promise.all(groups.map((group) => redis.zscore(group, member)));
      return scores.filter((score) => score !== null).length;
    },
    forget: async (member) => {
      await Promise.all(groups.map((group) => redis.zrem(group, member)));
    },
  };
}
