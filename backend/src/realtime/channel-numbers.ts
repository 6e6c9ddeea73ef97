import { defineScript, type Redis } from '../db/redis.ts';
import { publishCommand } from '../db/redis-channels.ts';

/** A number is forgotten after this long without events; tabs that had it then read again what they show. */
const KEPT_SECONDS = 24 * 3600;

/** In the slot of the channel, which has no hash tag of its own. */
const keyOf = (channel: string) => `{${channel}}:number`;

// Numbers are microseconds, so that they grow although Redis loses its keys. Lua writes large numbers with an exponent by itself.
const NEXT = `
local time = redis.call('TIME')
local next = time[1] * 1000000 + time[2]
local last = redis.call('GET', KEYS[1])
if last then next = math.max(next, last + 1) end
local number = string.format('%.0f', next)`;

// A number that Redis has no memory for is not stored: the event is published all the same, and a tab that joins reads again.
const STORE = `
local stored = redis.pcall('SET', KEYS[1], number, 'EX', ${KEPT_SECONDS})
if stored.err and not string.find(stored.err, 'OOM', 1, true) then return stored end`;

// Without the last number nobody knows what was published before: its successor is then no number that a tab can have.
// ARGV: channel, text of the event, a JSON object.
const publishScript = (publish: string) => `${NEXT}${STORE}
local previous = last or string.format('%.0f', next - 1)
redis.call('${publish}', ARGV[1], string.sub(ARGV[2], 1, -2) .. ',"previous":' .. previous .. ',"number":' .. number .. '}')
return number`;

const READ = `
local known = redis.call('GET', KEYS[1])
if known then return known end
${NEXT}${STORE}
return number`;

/** The numbers of channels: each event has a greater one than the event before it. */
export function createChannelNumbers(redis: Redis) {
  const lua = publishScript(publishCommand(redis));
  const publish = defineScript(redis, 'publishNumbered', { numberOfKeys: 1, lua });
  const read = defineScript<string>(redis, 'readChannelNumber', { numberOfKeys: 1, lua: READ });
  return {
    publish: async (channel: string, text: string): Promise<void> => {
      await publish(keyOf(channel), channel, text);
    },
    read: async (channel: string) => Number(await read(keyOf(channel))),
  };
}
